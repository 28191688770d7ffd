/** The single-byte table of a text that names none: the one in which its letters are those of one language. */

interface Script {
  /** Tables of the Encoding standard, the likeliest first. */
  readonly tables: ReadonlyArray<string>
  /** Letters beyond ASCII of each language, in small form. */
  readonly languages: ReadonlyArray<string>
}

const scripts: ReadonlyArray<Script> = [
  {
    tables: ["windows-1252", "macintosh"],
    languages: [
      "äöüß",
      "àâæçéèêëîïôœùûüÿ",
      "áéíóúüñªº¿¡",
      "áâãàçéêíóôõúªº",
      "àèéìíîòóùú",
      "éëïóöüèê",
      "æøåéäö",
      "åäöéü",
      "áðéíóúýþæö"
    ]
  },
  {
    tables: ["windows-1250", "iso-8859-2"],
    languages: ["ąćęłńóśźż", "áčďéěíňóřšťúůýž", "áäčďéíĺľňóôŕšťúýž", "áéíóöőúüű", "ăâîşţșț", "čćđšž"]
  },
  { tables: ["windows-1257", "iso-8859-13"], languages: ["ąčęėįšųūž", "āčēģīķļņšūž", "äõöüšž"] },
  { tables: ["windows-1254"], languages: ["çğıİöşü"] },
  {
    tables: ["windows-1251", "koi8-u", "ibm866", "iso-8859-5", "x-mac-cyrillic"],
    languages: [
      "абвгдежзийклмнопрстуфхцчшщъыьэюяё",
      "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя",
      "абвгдежзийклмнопрстуфхцчшщъьюя"
    ]
  },
  { tables: ["windows-1253", "iso-8859-7"], languages: ["αάβγδεέζηήθιίϊκλμνξοόπρσςτυύϋφχψωώ"] }
]

/** Signs that stand in texts of every language. */
const neutral = new Set("€£§°«»–—‘’“”„…·\u00a0¨´®©№•")

/** High bytes that are looked at, each with what stands beside it. */
export const maxSample = 4_000
const beside = 2

/** Every byte beyond ASCII of the beginning, with two bytes around it. */
const sampleOf = (bytes: Uint8Array): Uint8Array => {
  const sample = new Uint8Array(maxSample * (beside * 2 + 2))
  let length = 0
  let found = 0
  let last = -1
  for (let at = 0; at < bytes.length && found < maxSample; at++) {
    if (bytes[at]! < 0x80) continue
    found++
    const from = Math.max(last + 1, at - beside)
    if (from > last + 1) sample[length++] = 32
    const to = Math.min(bytes.length - 1, at + beside)
    for (let each = from; each <= to; each++) sample[length++] = bytes[each]!
    last = Math.max(last, to)
    // What stands behind the byte is in the sample: high bytes of it count as well.
    while (at + 1 <= to && found < maxSample) if (bytes[++at]! >= 0x80) found++
  }
  return sample.subarray(0, length)
}

const frequent = new Set("оеаинтсрл")

const isLatin = /\p{Script=Latin}/u
const isLetter = /\p{L}/u
const isUpper = /\p{Lu}/u
const isLower = /\p{Ll}/u

const scoreOf = (text: string, letters: ReadonlySet<string>): number => {
  let score = 0
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!
    const code = text.charCodeAt(at)
    if (code < 0x80) continue
    const before = text[at - 1] ?? " "
    const after = text[at + 1] ?? " "
    if (isLetter.test(character)) {
      const small = character.toLowerCase()
      score += letters.has(small) || letters.has(character) ? 2 : -2
      // Two tables of one script swap capitals and small letters: the letters that are frequent tell.
      if (frequent.has(small)) score++
      // No word mixes scripts.
      if (!isLatin.test(character) && (/[A-Za-z]/.test(before) || /[A-Za-z]/.test(after))) score -= 6
      // Capitals stand at the beginning of a word, or among capitals.
      if (isUpper.test(character) && isLower.test(before)) score -= 3
      if (isLower.test(character) && isUpper.test(before) && isUpper.test(after)) score -= 3
    } else if (neutral.has(character)) score += isLetter.test(before) && isLetter.test(after) ? -1 : 0
    else score -= code < 0xa0 || code === 0xfffd ? 8 : 3
  }
  return score
}

/** The likeliest table; windows-1252 where nothing speaks for another. */
export const guessEncoding = (bytes: Uint8Array): string => {
  const sample = sampleOf(bytes)
  let best = "windows-1252"
  let bestScore = Number.NEGATIVE_INFINITY
  for (const { languages, tables } of scripts) {
    for (const table of tables) {
      const text = new TextDecoder(table).decode(sample)
      for (const language of languages) {
        const score = scoreOf(text, new Set(language))
        if (score > bestScore) {
          best = table
          bestScore = score
        }
      }
    }
  }
  return best
}

/** UTF-16 without a mark: every other byte of a text in Latin letters is zero. */
export const bareUtf16 = (bytes: Uint8Array): "utf-16le" | "utf-16be" | undefined => {
  const length = Math.min(bytes.length, 2_000)
  if (length < 16) return undefined
  let even = 0
  let odd = 0
  for (let at = 0; at < length; at++) {
    if (bytes[at] !== 0) continue
    if (at % 2 === 0) even++
    else odd++
  }
  if (odd > length * 0.4 && even === 0) return "utf-16le"
  return even > length * 0.4 && odd === 0 ? "utf-16be" : undefined
}
