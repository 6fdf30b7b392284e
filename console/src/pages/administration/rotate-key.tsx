import type { ApiKey } from '../../../../sdk/src/index.ts';
import { api } from '../../api/client.ts';
import { RotateSecret } from '../../parts/rotate-secret.tsx';
import type { Once } from '../../parts/shown-once.tsx';
import { secretOf } from './new-key.tsx';
import { administrationWords } from './words.ts';

type Props = { readonly apiKey: ApiKey; readonly onClose: () => void; readonly onMade: (secret: Once) => void };

export function RotateKey({ apiKey: { id, name }, onClose, onMade }: Props) {
  const w = administrationWords();
  return (
    <RotateSecret
      words={{ ...w, title: w.rotateTitle(name), text: w.rotateText, submit: w.rotate, failed: w.rotateFailed }}
      rotate={async (graceSeconds) => onMade(secretOf(await api().rotateApiKey(id, { graceSeconds })))}
      onClose={onClose}
    />
  );
}
