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
