/** Lines of tables that state a balance or a turnover: words of each language, without accents. */
import { foldName } from "./CsvHeaders.ts"

export type Summary = "opening" | "closing" | "turnover" | "total"

const phrases: Readonly<Record<Exclude<Summary, "total">, string>> = {
  opening:
    "(?:opening|beginning|starting|previous|initial) balance|(?:balance )?(?:brought forward|b/f)|anfangssaldo|anfangsbestand|alter (?:saldo|kontostand)|saldo ?vortrag|ancien solde|solde (?:initial|precedent|d.ouverture)|saldo (?:inicial|anterior|de apertura|iniziale|precedente)|beginsaldo|openingssaldo|vorig saldo|saldo poczatkowe|stan poczatkowy|pocatecni zustatek|pociatocny zostatok|nyito ?egyenleg|ingaende (?:saldo|balans)|primosaldo|indgaende saldo|inngaende saldo|startsaldo|alkusaldo|algsaldo|sakuma (?:atlikums|bilance)|atlikums (?:perioda )?sakuma|likutis (?:laikotarpio )?pradziai|prad(?:inis|zios) likutis|sold initial|pocetno stanje|pocetni saldo|zacetno stanje|(?:acilis|devreden|onceki) bakiye(?:si)?|(?:входящии|начальныи) остаток|остаток на начало(?: периода)?|αρχικο υπολοιπο",
  closing:
    "(?:closing|ending|end|final|current|new|ledger) balance|(?:balance )?(?:carried forward|c/f)|endsaldo|schlusss?saldo|schlussbestand|endbestand|abschlusssaldo|neuer (?:saldo|kontostand)|kontostand|nouveau solde|solde (?:final|de cloture|au)|saldo (?:final|actual|de cierre|finale|attuale|atual)|eindsaldo|slotsaldo|nieuw saldo|saldo koncowe|stan koncowy|konecny (?:zustatek|zostatok)|zaro ?egyenleg|utgaende (?:saldo|balans)|ultimosaldo|udgaende saldo|slutsaldo|loppusaldo|loppsaldo|beigu (?:atlikums|bilance)|atlikums (?:perioda )?beigas|likutis (?:laikotarpio )?pabaigai|(?:galutinis|pabaigos) likutis|sold final|(?:zavrsno|konacno|koncno|krajnje) stanje|(?:kapanis|son) bakiye(?:si)?|(?:исходящии|конечныи) остаток|остаток на конец(?: периода)?|τελικο υπολοιπο",
  turnover:
    "(?:total )?turnover|total (?:debits?|credits?|withdrawals|deposits|payments)|umsatzsumme|summe (?:soll|haben|umsatze|der umsatze|gutschriften|belastungen)|total des (?:debits|credits|mouvements|operations)|total (?:cargos|abonos|debitos|creditos)|totale (?:dare|avere|addebiti|accrediti|entrate|uscite)|totaal (?:af|bij|debet|credit)|(?:suma )?obroto?w?y?|suma (?:uznan|obciazen)|(?:celkovy )?obraty?|(?:osszes )?forgalom|omsattning|omsaetning|kaive|apgrozijums|apyvarta|rulaj(?: total)?|(?:ukupni )?promet|обороты?(?: за период)?"
}

const inWords = (words: string): RegExp => new RegExp(`(?<![\\p{L}])(?:${words})(?![\\p{L}])`, "u")

const openingWords = inWords(phrases.opening)
const closingWords = inWords(phrases.closing)
const turnoverWords = inWords(phrases.turnover)
const totalWords =
  /^(?:grand |sub-? ?)?(?:totals?|summe|gesamt(?:summe|betrag)?|zwischensumme|saldo|balance|solde|totale?s?|totaal|sum|suma|razem|celkem|spolu|osszesen|yhteensa|summa|i alt|toplam|kokku|viso|available balance)(?![\p{L}])/u

/** How the phrases begin: most texts are known by it alone. */
const begins =
  /^[\s\d.,:/()-]*(?:opening|beginning|start|previous|initial|balance|brought|b\/f|closing|end|final|current|new|ledger|carried|c\/f|tota|turnover|anfang|alter|sald|schlu|abschlu|neuer|kontostand|umsatz|summe|ancien|solde|nouveau|begin|vorig|eind|slot|nieuw|stan|po[cč]|kon|celk|obr|obor|suma|ny|z[aá]r|[oö]ssz|forgal|ing|inng|utg|oms|primo|ind|ultimo|udg|slut|alku|loppu|alg|l[oõ]pp|k[aä]ive|s[aā]kuma|atlik|beigu|apgro|likutis|prad|galut|pabaig|apyv|sold|rulaj|za[cčv]|kraj|promet|ukupn|a[cç][iı]l|devred|[oö]nceki|kapan|son|вход|нач|остат|исход|конеч|оборот|αρχ|τελ)/iu

/** Longer texts describe something else as well. */
const maxLine = 60

const foldLine = (text: string): string => foldName(text).replace(/\s+/g, " ").trim()

/** What kind of summary line a text introduces, if any. */
export const summaryOf = (text: string): Summary | undefined => {
  const line = foldLine(text)
  if (openingWords.test(line)) return "opening"
  if (closingWords.test(line)) return "closing"
  return totalWords.test(line) || turnoverWords.test(line) ? "total" : undefined
}

const fillers =
  /[\s\d.:/,()-]+|(?<![\p{L}])(?:on|as of|at|am|per|zum|vom|au|al|del|op|na|za|eur|usd|gbp|chf|pln|czk|huf|sek|nok|dkk|ron|try|rub)(?![\p{L}])/gu

/** The balance or turnover that a text names and nothing else: such a line is no movement, wherever it stands. */
export const statedLine = (text: string): Exclude<Summary, "total"> | undefined => {
  if (text === "" || text.length > maxLine || !begins.test(text)) return undefined
  const line = foldLine(text)
  for (const [kind, words] of [
    ["opening", openingWords],
    ["closing", closingWords],
    ["turnover", turnoverWords]
  ] as const) {
    const found = words.exec(line)
    if (found !== null && line.replace(found[0], "").replace(fillers, "") === "") return kind
  }
  return undefined
}
