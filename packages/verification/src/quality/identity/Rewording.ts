/** How one text of a bank comes out in another download of the same rows: nothing of it makes another event. */
import type { Seeded } from "@millrace/testing/model"

type Rewording = (text: string, random: Seeded) => string

const digits = (random: Seeded, count: number): string => Array.from({ length: count }, () => random.below(10)).join("")

const accents: Readonly<Record<string, string>> = { A: "Á", E: "É", I: "Í", O: "Ö", U: "Ü", a: "á", e: "é", o: "ö" }

/** Puts an accent on one vowel. */
const accented: Rewording = (text, random) => {
  const places = [...text].flatMap((letter, at) => (accents[letter] === undefined ? [] : [at]))
  if (places.length === 0) return text
  const place = random.pick(places)
  return [...text].map((letter, at) => (at === place ? accents[letter]! : letter)).join("")
}

const capitalised: Rewording = (text) =>
  text.toLowerCase().replace(/(?<!\p{L})\p{L}/gu, (letter) => letter.toUpperCase())

export const rewordings: Readonly<Record<string, Rewording>> = {
  "small letters": (text) => text.toLowerCase(),
  "capital letters": (text) => text.toUpperCase(),
  capitalised,
  "two blanks": (text) => text.replaceAll(" ", "  "),
  "blanks around": (text) => ` ${text} `,
  punctuation: (text, random) => text.replaceAll(" ", random.pick([" - ", "*", ", ", "/", "."])),
  composed: (text) => text.normalize("NFC"),
  decomposed: (text) => text.normalize("NFD"),
  accented,
  "without accents": (text) => text.normalize("NFD").replace(/\p{M}/gu, ""),
  "a letter cut": (text) => text.slice(0, -1),
  "cut at 16": (text) => text.slice(0, 16).trim(),
  "a day before": (text, random) => `${String(1 + random.below(28)).padStart(2, "0")}.11 ${text}`,
  "a date before": (text, random) => `${String(1 + random.below(28)).padStart(2, "0")}/11/2025 ${text}`,
  "a card before": (text, random) => `CARD ${digits(random, 4)} ${text}`,
  "a reference behind": (text, random) => `${text} REF ${digits(random, 6)}`,
  "a town behind": (text) => `${text} BERLIN DE`
}

const names = Object.keys(rewordings)

/** The text in other words: one way of writing it differently, or two. */
export const reworded = (random: Seeded, text: string): string => {
  const ways = random.list(1, 2, () => rewordings[random.pick(names)]!)
  return ways.reduce((written, way) => way(written, random), text)
}
