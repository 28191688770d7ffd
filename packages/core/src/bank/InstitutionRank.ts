/** How well the name of an institution fits what somebody typed. */

const folded = (text: string): string =>
  text
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim()

/** 0: the name itself; 1: it begins so; 2: a word of it begins so; 3: every word that was typed begins a word of it. */
export const institutionRank = (name: string, query: string): number | undefined => {
  const [given, wanted] = [folded(name), folded(query)]
  // What has no letter that is known stands for itself.
  if (wanted === "") return name.toLowerCase().includes(query.trim().toLowerCase()) ? 3 : undefined
  if (given === wanted) return 0
  if (given.startsWith(wanted)) return 1
  if (` ${given}`.includes(` ${wanted}`)) return 2
  const words = given.split(" ")
  return wanted.split(" ").every((word) => words.some((one) => one.startsWith(word))) ? 3 : undefined
}
