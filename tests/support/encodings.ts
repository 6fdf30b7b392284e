function percentOf(text: string, digits: (hex: string) => string): string {
  return [...Buffer.from(text)].map((byte) => `%${digits(byte.toString(16).padStart(2, '0'))}`).join('');
}

const upper = (hex: string): string => hex.toUpperCase();
const lower = (hex: string): string => hex;
const mixed = (hex: string): string => `${hex.slice(0, 1).toUpperCase()}${hex.slice(1)}`;

function unicodeEscapes(text: string): string {
  return text.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function entities(text: string, write: (point: number) => string): string {
  return [...text].map((sign) => write(sign.codePointAt(0) ?? 0)).join('');
}

const XML: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' };

/** Every encoding in which a text may appear in what the service and a bank exchange. */
export const encodings: Readonly<Record<string, (text: string) => string>> = {
  plain: (text) => text,
  'url, as components are': encodeURIComponent,
  'url, every byte, upper case': (text) => percentOf(text, upper),
  'url, every byte, lower case': (text) => percentOf(text, lower),
  'url, every byte, mixed case': (text) => percentOf(text, mixed),
  'url, twice': (text) => encodeURIComponent(encodeURIComponent(text)),
  'url, every byte, twice': (text) => encodeURIComponent(percentOf(text, lower)),
  form: (text) => new URLSearchParams({ a: text }).toString().slice(2),
  json: (text) => JSON.stringify(text).slice(1, -1),
  'json, slashes escaped': (text) => JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/'),
  'json, every sign': unicodeEscapes,
  'json in json': (text) => JSON.stringify(JSON.stringify(text)).slice(1, -1),
  'xml, named': (text) => text.replace(/[&<>"']/g, (sign) => `&${XML[sign]};`),
  'xml, decimal': (text) => entities(text, (point) => `&#${point};`),
  'xml, hexadecimal': (text) => entities(text, (point) => `&#x${point.toString(16)};`),
  'xml, hexadecimal, upper case and zeros': (text) =>
    entities(text, (point) => `&#X${point.toString(16).toUpperCase().padStart(6, '0')};`),
  'json of url': (text) => unicodeEscapes(encodeURIComponent(text)),
  'base64 alone': (text) => Buffer.from(text).toString('base64'),
  'base64 after one byte': (text) => Buffer.from(`u${text}`).toString('base64'),
  'base64 after two bytes': (text) => Buffer.from(`u:${text}:x`).toString('base64'),
  'base64 of user and secret': (text) => Buffer.from(`user:${text}`).toString('base64'),
  'base64url alone': (text) => Buffer.from(text).toString('base64url'),
  'base64url after one byte': (text) => Buffer.from(`?${text}>`).toString('base64url'),
  'base64url after two bytes': (text) => Buffer.from(`>>${text}`).toString('base64url'),
  'base64 in a url': (text) => encodeURIComponent(Buffer.from(`??${text}`).toString('base64')),
  'base64 broken into lines': (text) =>
    (
      Buffer.from(text)
        .toString('base64')
        .match(/.{1,7}/g) ?? []
    ).join('\r\n'),
  'hex, lower case': (text) => Buffer.from(text).toString('hex'),
  'hex, upper case': (text) => Buffer.from(text).toString('hex').toUpperCase(),
  'hex, mixed case': (text) => [...Buffer.from(text)].map((byte) => mixed(byte.toString(16).padStart(2, '0'))).join(''),
};
