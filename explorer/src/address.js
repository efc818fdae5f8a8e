/** The address of an experiment: `#1.VERSION.IDENTITY.PAYLOAD`. The payload is what the page needs to be again as it was,
 * TOML and what is shown, as JSON that gzip packs, whose checksum tells damage. */

const FORM = "1";
/** Of an identity: enough to tell builds apart. */
const DIGITS = 8;

/** A link that cannot be read: what is wrong with it, in a sentence. */
export class LinkError extends Error {}

/** The part of an address behind `#`. `content`: an experiment as `Explorer.show` takes it, `{toml, view}`. */
export async function encoded(content, { version, identity }) {
  const packed = await through(new TextEncoder().encode(JSON.stringify(content)), new CompressionStream("gzip"));
  return [FORM, version, identity.slice(0, DIGITS), base64url(packed)].join(".");
}

/** What an address holds: `{content, version, isOther}`; `isOther`: another build has made it. */
export async function decoded(fragment, about) {
  // A version has dots of its own: what is behind the last two is identity and payload.
  const parts = fragment.split(".");
  if (parts.length < 4 || parts[0] !== FORM) throw new LinkError("this link is not one of the explorer's, or not whole");
  const [identity, payload] = parts.slice(-2);
  const version = parts.slice(1, -2).join(".");
  let content;
  try {
    const bytes = await through(bytesOf(payload), new DecompressionStream("gzip"));
    content = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    if (typeof content?.toml !== "string") throw new Error("no experiment");
  } catch {
    throw new LinkError("this link is damaged: some of its letters are missing or changed");
  }
  return { content, version, isOther: version !== about.version || identity !== about.identity.slice(0, DIGITS) };
}

async function through(bytes, stream) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

function base64url(bytes) {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** The bytes of text in the alphabet of addresses. */
export function bytesOf(text) {
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
}
