/** Long enough for the browser to have taken the file over. */
const KEPT_MS = 60_000;

/** Has the browser save the body of an answer under the name. */
export async function saveFile(answer: Response, name: string): Promise<void> {
  const url = URL.createObjectURL(await answer.blob());
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}

type SavePicker = (options: { readonly suggestedName: string }) => Promise<FileSystemFileHandle>;

/**
 * Writes the body of an answer to a file that the person chooses, as it comes, so that its size does not matter; a file
 * that breaks off is not kept. Where the browser cannot write files, the whole is held in memory first. `load` is
 * called once there is a file; `onBytes` gets how much has been written. False where the person chose none.
 */
export async function saveStream(
  name: string,
  load: () => Promise<Response>,
  onBytes: (bytes: number) => void,
): Promise<boolean> {
  const { showSaveFilePicker: pick } = globalThis as { showSaveFilePicker?: SavePicker };
  if (pick === undefined) {
    await saveFile(await load(), name);
    return true;
  }
  const handle = await pick({ suggestedName: name }).catch((error: unknown) => {
    if (error instanceof DOMException && error.name === 'AbortError') return null;
    throw error;
  });
  if (handle === null) return false;
  const { body } = await load();
  const file = await handle.createWritable();
  if (body === null) {
    await file.close();
    return true;
  }
  let bytes = 0;
  const counted = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform: (chunk, to) => {
      bytes += chunk.byteLength;
      onBytes(bytes);
      to.enqueue(chunk);
    },
  });
  await body.pipeThrough(counted).pipeTo(file);
  return true;
}
