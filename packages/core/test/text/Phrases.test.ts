import { Seeded } from "@millrace/testing/model"
import { fold } from "../../src/text/Fold.ts"
import { Phrases, plainWords } from "../../src/text/Phrases.ts"
import { describe, expect, it } from "vitest"

/** As it is written in Unicode, whatever the text is of. */
const wordsByUnicode = (text: string): ReadonlyArray<string> =>
  fold(text.toWellFormed().normalize("NFKC"))
    .normalize("NFD")
    .replace(/\p{M}+/gu, "")
    .split(/[^\p{L}\p{N}&]+/u)
    .filter((word) => word !== "")

describe("the words of a text", () => {
  it("are folded, and parted by all that is no letter, no number and no ampersand", () => {
    expect(plainWords("  SQ *Blue-Bottle #12 & CO ")).toEqual(["sq", "blue", "bottle", "12", "&", "co"])
    expect(plainWords("CAFÉ LÜTZOW")).toEqual(["cafe", "lutzow"])
    expect(plainWords("\u212Aiosk")).toEqual(["kiosk"])
  })

  it("are the same for texts of ASCII as for any other", () => {
    const random = new Seeded(7)
    const others = [..."äßÉİ\u212Aé\u0301漢&-_'\t\u00A0€"]
    for (let n = 0; n < 2_000; n++) {
      const mixed = random.once(3)
      const text = Array.from({ length: random.below(24) }, () =>
        mixed && random.once(4) ? random.pick(others) : String.fromCharCode(random.below(128))
      ).join("")
      expect(plainWords(text)).toEqual(wordsByUnicode(text))
    }
  })
})

const lengthOf = (phrase: string): number => phrase.replace("*", "").length

/** Whether it is one word, of which the rest may be anything. */
const isAlone = (phrase: string): boolean => phrase.endsWith("*") && !phrase.includes(" ")

const plain = (text: string): string => plainWords(text)[0]!

/** Phrase by phrase, at each word: what `find` promises, without anything that is looked up. */
const foundOneByOne = (phrases: ReadonlyArray<string>, text: ReadonlyArray<string>): ReadonlyArray<string> => {
  const found: Array<string> = []
  for (let at = 0; at < text.length;) {
    const here = phrases.filter((phrase) => {
      const words = phrase.replace("*", "").split(" ")
      return words.every((word, n) => {
        const isOpen = n === words.length - 1 && phrase.endsWith("*")
        return isOpen ? text[at + n]?.startsWith(word) === true : text[at + n] === word
      })
    })
    // Of closed phrases the one with the most words counts, and of those the longest; an open word counts where there is none.
    const closed = here.filter((phrase) => !isAlone(phrase))
    const [best] = (closed.length > 0 ? closed : here).toSorted(
      (a, b) => b.split(" ").length - a.split(" ").length || lengthOf(b) - lengthOf(a)
    )
    if (best !== undefined) found.push(`${at} ${best}`)
    at += best?.split(" ").length ?? 1
  }
  return found
}

describe("phrases", () => {
  it("are found at every word that one of them begins with, short or long, whatever the alphabet", () => {
    const random = new Seeded(3)
    const word = (least: number) =>
      Array.from({ length: least + random.below(4) }, () => random.pick([..."abé漢"])).join("")
    let hits = 0
    for (let n = 0; n < 500; n++) {
      const phrases = new Set<string>()
      for (let one = 0; one < 8; one++) {
        const words = Array.from({ length: 1 + random.below(2) }, () => plain(word(1)))
        phrases.add(random.once(3) ? `${[...words.slice(1), plain(word(3))].join(" ")}*` : words.join(" "))
      }
      const text = Array.from({ length: 12 }, () => plain(word(1)))
      const found = new Phrases([...phrases].map((phrase) => [phrase, phrase])).find(text)
      hits += found.length
      expect(found.map(({ at, phrase }) => `${at} ${phrase}`)).toEqual(foundOneByOne([...phrases], text))
    }
    expect(hits).toBeGreaterThan(100)
  })
})
