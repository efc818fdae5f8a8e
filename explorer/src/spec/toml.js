// TOML to words: a port of Python 3.11's `tomllib`, so that a syntax error has the same words and the same place.
//
// tomllib is tomli, under the MIT License:
// Copyright (c) 2021 Taneli Hukkinen
//
// Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
// documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
// rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
// persons to whom the Software is furnished to do so, subject to the following conditions:
//
// The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
// Software.
//
// THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
// WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
// COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
// OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
//
// Places are indices of UTF-16 units here and of code points in Python; only the column that is told has to be counted anew.

import { lengthOf, reprText } from "./number.js";

const TIME = "([01][0-9]|2[0-3]):([0-5][0-9]):([0-5][0-9])(?:\\.([0-9]{1,6})[0-9]*)?";
const LOCAL_TIME = new RegExp(TIME, "y");
const DATE_TIME = new RegExp(
  `([0-9]{4})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])(?:[Tt ]${TIME}(?:([Zz])|([+-])([01][0-9]|2[0-3]):([0-5][0-9]))?)?`,
  "y",
);
const TOML_NUMBER = new RegExp(
  "0(?:x[0-9A-Fa-f](?:_?[0-9A-Fa-f])*|b[01](?:_?[01])*|o[0-7](?:_?[0-7])*)" +
    "|[+-]?(?:0|[1-9](?:_?[0-9])*)((?:\\.[0-9](?:_?[0-9])*)?(?:[eE][+-]?[0-9](?:_?[0-9])*)?)",
  "y",
);
const BLANK = /[ \t]*/y;
const BLANK_OR_NEWLINE = /[ \t\n]*/y;
const BARE_KEY = /[A-Za-z0-9_-]+/y;
const KEY_START = /[A-Za-z0-9_"'-]/;
const CONTROL = /[\0-\x08\n-\x1f\x7f]/;
const CONTROL_BUT_NEWLINE = /[\0-\x08\x0b-\x1f\x7f]/;
const SPECIAL_FLOAT = /([+-]?)(inf|nan)/y;
const HEX_DIGITS = /^[0-9A-Fa-f]+$/;
const ESCAPES = new Map([
  ["\\b", "\b"],
  ["\\t", "\t"],
  ["\\n", "\n"],
  ["\\f", "\f"],
  ["\\r", "\r"],
  ['\\"', '"'],
  ["\\\\", "\\"],
]);
/** Python reads no longer integer, unless its base is a power of two. */
const MOST_DIGITS = 4300;
/** Calls that Python's parser may be deep, less what called it; a list takes two of them and an inline table three. */
const DEEPEST = 960;
const LIST_CALLS = 2;
const TABLE_CALLS = 3;

/** A text that is not TOML. `message` is `${reason} (at ${place})`. */
export class TomlError extends Error {
  /**
   * @param {string} reason
   * @param {string} place "line 3, column 7" or "end of document"
   */
  constructor(reason, place) {
    super(`${reason} (at ${place})`);
    this.name = "TomlError";
    this.reason = reason;
    this.place = place;
  }
}

/** A number or a nesting beyond all measure, where Python has no words of its own. */
export class TomlBeyondError extends Error {}

/**
 * The words of a text: tables are Maps in the order written, lists are arrays, integers bigint, floats number, dates and
 * times `{toml: "datetime" | "date" | "time", text}`. Throws TomlError or TomlBeyondError.
 * @param {string} text
 * @returns {Map<string, unknown>}
 */
export function parse(text) {
  return new TomlParser(text.replaceAll("\r\n", "\n")).document();
}

/** What is known of the tables of a document, or of an inline table, by their keys. */
class TomlFlags {
  constructor() {
    this.root = new Map();
    this.pending = [];
  }

  /** Of a table of a header, for when the next header comes. */
  addPending(key) {
    this.pending.push(key);
  }

  finalizePending() {
    for (const key of this.pending) this.setExplicit(key);
    this.pending = [];
  }

  /** That it may not be opened again by a header. */
  setExplicit(key) {
    this.entry(key).explicit = true;
  }

  /** That it, and whatever is in it, may not be changed: a list or an inline table. */
  setFrozen(key) {
    this.entry(key).frozen = true;
  }

  isExplicit(key) {
    return this.find(key)?.explicit ?? false;
  }

  isFrozen(key) {
    let inner = this.root;
    for (const part of key) {
      const entry = inner.get(part);
      if (entry === undefined) return false;
      if (entry.frozen) return true;
      inner = entry.inner;
    }
    return false;
  }

  forget(key) {
    const above = key.length > 1 ? this.find(key.slice(0, -1))?.inner : this.root;
    above?.delete(key.at(-1));
  }

  find(key) {
    let entry;
    let inner = this.root;
    for (const part of key) {
      entry = inner.get(part);
      if (entry === undefined) return undefined;
      inner = entry.inner;
    }
    return entry;
  }

  entry(key) {
    let entry;
    let inner = this.root;
    for (const part of key) {
      entry = inner.get(part);
      if (entry === undefined) {
        entry = { explicit: false, frozen: false, inner: new Map() };
        inner.set(part, entry);
      }
      inner = entry.inner;
    }
    return entry;
  }
}

/** The table at a key, made where there is none; null where something else is on the way. */
function tableAt(root, key, intoLists = true) {
  let table = root;
  for (const part of key) {
    if (!table.has(part)) table.set(part, new Map());
    table = table.get(part);
    if (intoLists && Array.isArray(table)) table = table.at(-1);
    if (!(table instanceof Map)) return null;
  }
  return table;
}

function reprKey(key) {
  return `(${key.map(reprText).join(", ")}${key.length === 1 ? "," : ""})`;
}

class TomlParser {
  /** @param {string} source */
  constructor(source) {
    this.source = source;
    this.position = 0;
    this.words = new Map();
    this.flags = new TomlFlags();
    this.calls = 0;
  }

  document() {
    let header = [];
    for (;;) {
      this.skip(BLANK);
      const sign = this.sign();
      if (sign === "") break;
      if (sign === "\n") {
        this.position += 1;
        continue;
      }
      if (KEY_START.test(sign)) {
        this.keyValueRule(header);
        this.skip(BLANK);
      } else if (sign === "[") {
        this.flags.finalizePending();
        header = this.startsWith("[[") ? this.listRule() : this.tableRule();
        this.skip(BLANK);
      } else if (sign !== "#") {
        throw this.error("Invalid statement");
      }
      this.skipComment();
      if (this.sign() === "") break;
      if (this.sign() !== "\n") throw this.error("Expected newline or end of document after a statement");
      this.position += 1;
    }
    return this.words;
  }

  /** `[table]`. */
  tableRule() {
    this.position += 1;
    this.skip(BLANK);
    const key = this.key();
    if (this.flags.isExplicit(key) || this.flags.isFrozen(key)) throw this.error(`Cannot declare ${reprKey(key)} twice`);
    this.flags.setExplicit(key);
    if (tableAt(this.words, key) === null) throw this.error("Cannot overwrite a value");
    if (!this.startsWith("]")) throw this.error("Expected ']' at the end of a table declaration");
    this.position += 1;
    return key;
  }

  /** `[[list]]`. */
  listRule() {
    this.position += 2;
    this.skip(BLANK);
    const key = this.key();
    if (this.flags.isFrozen(key)) throw this.error(`Cannot mutate immutable namespace ${reprKey(key)}`);
    this.flags.forget(key); // it is of another entry of the list from here on
    this.flags.setExplicit(key);
    const table = tableAt(this.words, key.slice(0, -1));
    const list = table === null ? null : (table.get(key.at(-1)) ?? []);
    if (!Array.isArray(list)) throw this.error("Cannot overwrite a value");
    list.push(new Map());
    table.set(key.at(-1), list);
    if (!this.startsWith("]]")) throw this.error("Expected ']]' at the end of an array declaration");
    this.position += 2;
    return key;
  }

  /** `key = value`, in the table of a header. */
  keyValueRule(header) {
    const [key, value] = this.keyValuePair();
    const parent = [...header, ...key.slice(0, -1)];
    for (let length = 1; length < key.length; length += 1) {
      const above = [...header, ...key.slice(0, length)];
      if (this.flags.isExplicit(above)) throw this.error(`Cannot redefine namespace ${reprKey(above)}`);
      this.flags.addPending(above);
    }
    if (this.flags.isFrozen(parent)) throw this.error(`Cannot mutate immutable namespace ${reprKey(parent)}`);
    const table = tableAt(this.words, parent);
    if (table === null || table.has(key.at(-1))) throw this.error("Cannot overwrite a value");
    if (isContainer(value)) this.flags.setFrozen([...header, ...key]);
    table.set(key.at(-1), value);
  }

  keyValuePair() {
    const key = this.key();
    if (this.sign() !== "=") throw this.error("Expected '=' after a key in a key/value pair");
    this.position += 1;
    this.skip(BLANK);
    return [key, this.value()];
  }

  key() {
    const key = [this.keyPart()];
    this.skip(BLANK);
    while (this.sign() === ".") {
      this.position += 1;
      this.skip(BLANK);
      key.push(this.keyPart());
      this.skip(BLANK);
    }
    return key;
  }

  keyPart() {
    const bare = this.match(BARE_KEY);
    if (bare !== null) return bare[0];
    if (this.sign() === "'") return this.literal();
    if (this.sign() === '"') return this.basic();
    throw this.error("Invalid initial character for a key part");
  }

  value() {
    switch (this.sign()) {
      case '"':
        return this.startsWith('"""') ? this.multiline('"') : this.basic();
      case "'":
        return this.startsWith("'''") ? this.multiline("'") : this.literal();
      case "[":
        return this.nested(LIST_CALLS, () => this.list());
      case "{":
        return this.nested(TABLE_CALLS, () => this.inlineTable());
    }
    if (this.take("true")) return true;
    if (this.take("false")) return false;
    const start = this.position;
    const dateTime = this.match(DATE_TIME);
    if (dateTime !== null) {
      const read = dateOf(dateTime);
      if (read === null) throw this.error("Invalid date or datetime", start);
      return read;
    }
    const time = this.match(LOCAL_TIME);
    if (time !== null) return { toml: "time", text: timeText(time.slice(1)) };
    const number = this.match(TOML_NUMBER);
    if (number !== null) return numberOf(number);
    const special = this.match(SPECIAL_FLOAT);
    if (special !== null) return Number(special[0].replace("inf", "Infinity").replace(/.?nan/, "NaN"));
    throw this.error("Invalid value");
  }

  nested(calls, read) {
    this.calls += calls;
    if (this.calls > DEEPEST) throw new TomlBeyondError("nested too deep");
    const value = read();
    this.calls -= calls;
    return value;
  }

  list() {
    const list = [];
    this.position += 1;
    this.skipCommentsAndNewlines();
    while (!this.take("]")) {
      list.push(this.value());
      this.skipCommentsAndNewlines();
      if (this.take("]")) break;
      if (!this.take(",")) throw this.error("Unclosed array");
      this.skipCommentsAndNewlines();
    }
    return list;
  }

  inlineTable() {
    const root = new Map();
    const flags = new TomlFlags();
    this.position += 1;
    this.skip(BLANK);
    if (this.take("}")) return root;
    for (;;) {
      const [key, value] = this.keyValuePair();
      const last = key.at(-1);
      if (flags.isFrozen(key)) throw this.error(`Cannot mutate immutable namespace ${reprKey(key)}`);
      const table = tableAt(root, key.slice(0, -1), false);
      if (table === null) throw this.error("Cannot overwrite a value");
      if (table.has(last)) throw this.error(`Duplicate inline table key ${reprText(last)}`);
      table.set(last, value);
      this.skip(BLANK);
      if (this.take("}")) return root;
      if (!this.startsWith(",")) throw this.error("Unclosed inline table");
      if (isContainer(value)) flags.setFrozen(key);
      this.position += 1;
      this.skip(BLANK);
    }
  }

  literal() {
    this.position += 1;
    const text = this.until("'", CONTROL);
    this.position += 1;
    return text;
  }

  basic() {
    this.position += 1;
    return this.basicText(false);
  }

  /** Three quotes, with up to two more of them at the end of the text. */
  multiline(quote) {
    this.position += 3;
    this.take("\n");
    let text;
    if (quote === "'") {
      text = this.until("'''", CONTROL_BUT_NEWLINE);
      this.position += 3;
    } else {
      text = this.basicText(true);
    }
    for (let more = 0; more < 2 && this.take(quote); more += 1) text += quote;
    return text;
  }

  /** A text with escapes, and the quotes behind it. */
  basicText(multiline) {
    const refused = multiline ? CONTROL_BUT_NEWLINE : CONTROL;
    let text = "";
    for (;;) {
      const sign = this.sign();
      if (sign === "") throw this.error("Unterminated string");
      if (sign === '"' && (!multiline || this.startsWith('"""'))) {
        this.position += multiline ? 3 : 1;
        return text;
      }
      if (sign === "\\") {
        text += this.escape(multiline);
        continue;
      }
      if (refused.test(sign)) throw this.error(`Illegal character ${reprText(sign)}`);
      text += sign;
      this.position += 1;
    }
  }

  escape(multiline) {
    const following = this.source.codePointAt(this.position + 1);
    const escape = following === undefined ? "\\" : `\\${String.fromCodePoint(following)}`;
    this.position = Math.min(this.position + Math.max(escape.length, 2), this.source.length);
    if (multiline && (escape === "\\ " || escape === "\\\t" || escape === "\\\n")) {
      if (escape !== "\\\n") {
        this.skip(BLANK);
        if (this.sign() === "") return "";
        if (this.sign() !== "\n") throw this.error("Unescaped '\\' in a string");
        this.position += 1;
      }
      this.skip(BLANK_OR_NEWLINE);
      return "";
    }
    if (escape === "\\u") return this.hexSign(4);
    if (escape === "\\U") return this.hexSign(8);
    const meant = ESCAPES.get(escape);
    if (meant === undefined) throw this.error("Unescaped '\\' in a string");
    return meant;
  }

  hexSign(length) {
    const digits = this.source.slice(this.position, this.position + length);
    if (digits.length !== length || !HEX_DIGITS.test(digits)) throw this.error("Invalid hex value");
    this.position += length;
    const point = Number.parseInt(digits, 16);
    if (point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)) {
      throw this.error("Escaped character is not a Unicode scalar value");
    }
    return String.fromCodePoint(point);
  }

  /** The text before what is expected, where the position is afterwards. */
  until(expected, refused) {
    const end = this.source.indexOf(expected, this.position);
    if (end < 0) throw this.error(`Expected ${reprText(expected)}`, this.source.length);
    return this.passed(end, refused);
  }

  passed(end, refused) {
    const text = this.source.slice(this.position, end);
    const found = refused.exec(text);
    if (found !== null) {
      throw this.error(`Found invalid character ${reprText(found[0])}`, this.position + found.index);
    }
    this.position = end;
    return text;
  }

  skipComment() {
    if (!this.take("#")) return;
    const end = this.source.indexOf("\n", this.position);
    this.passed(end < 0 ? this.source.length : end, CONTROL);
  }

  skipCommentsAndNewlines() {
    let before;
    do {
      before = this.position;
      this.skip(BLANK_OR_NEWLINE);
      this.skipComment();
    } while (this.position !== before);
  }

  /** The sign here, "" at the end. */
  sign() {
    return this.source.charAt(this.position);
  }

  startsWith(text) {
    return this.source.startsWith(text, this.position);
  }

  take(text) {
    const there = this.startsWith(text);
    if (there) this.position += text.length;
    return there;
  }

  /** Match a sticky pattern here, and go behind it. */
  match(pattern) {
    pattern.lastIndex = this.position;
    const match = pattern.exec(this.source);
    if (match !== null) this.position = pattern.lastIndex;
    return match;
  }

  skip(pattern) {
    this.match(pattern);
  }

  error(reason, position = this.position) {
    if (position >= this.source.length) return new TomlError(reason, "end of document");
    const before = this.source.slice(0, position);
    const lines = before.split("\n");
    return new TomlError(reason, `line ${lines.length}, column ${lengthOf(lines.at(-1)) + 1}`);
  }
}

function isContainer(value) {
  return Array.isArray(value) || value instanceof Map;
}

function numberOf(match) {
  const text = match[0].replaceAll("_", "");
  if (match[1]) return Number(text);
  if (/^0[xbo]/.test(text)) return BigInt(text);
  if (text.replace(/^[+-]/, "").length > MOST_DIGITS) throw new TomlBeyondError("too many digits");
  return BigInt(text);
}

/** With the text that Python's `str` gives of it; null of a day that there is not. */
function dateOf(match) {
  const [, year, month, day, hour, , , , zulu, sign, hours, minutes] = match;
  const days = new Date(Date.UTC(2000 + (Number(year) % 400), Number(month), 0)).getUTCDate(); // every 400 years are alike
  if (year === "0000" || Number(day) > days) return null;
  const date = `${year}-${month}-${day}`;
  if (hour === undefined) return { toml: "date", text: date };
  const nothing = hours === "00" && minutes === "00";
  const offset = zulu ? "+00:00" : sign ? `${nothing ? "+" : sign}${hours}:${minutes}` : "";
  return { toml: "datetime", text: `${date} ${timeText(match.slice(4))}${offset}` };
}

function timeText([hour, minute, second, micros = ""]) {
  const part = micros.padEnd(6, "0");
  return `${hour}:${minute}:${second}${part === "000000" ? "" : `.${part}`}`;
}
