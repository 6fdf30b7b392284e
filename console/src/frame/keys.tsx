import { Dialog } from '../parts/dialog.tsx';
import { common } from '../words/index.ts';

export function Keys({ onClose }: { readonly onClose: () => void }) {
  const w = common().frame;
  return (
    <Dialog title={w.keys} onClose={onClose}>
      <dl class="keys">
        {w.keyRows.map(([key, what]) => (
          <>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </>
        ))}
      </dl>
    </Dialog>
  );
}
