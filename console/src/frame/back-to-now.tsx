import { Button } from '../parts/button.tsx';
import { common } from '../words/index.ts';
import { lookAt } from './as-of-moment.ts';

/** Leaves the past. */
export function BackToNow() {
  return <Button onClick={() => lookAt(null)}>{common().frame.backToNow}</Button>;
}
