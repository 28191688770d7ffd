/** Records of an account distinguished by how their upstream ids end, so that a store can leave some of them out. */

export interface IdParts {
  /** Into how many parts ids are divided: a power of two, at most `mostIdParts`. */
  readonly of: number
  /** Those that are meant: the bit of each is set. */
  readonly which: number
}

/** So many bits are whole numbers in every store. */
export const mostIdParts = 32

/** Sign that begins at `at`: two units make one where neither is a sign by itself. */
const signBefore = (id: string, end: number): number => {
  const unit = id.charCodeAt(end - 1)
  const isSecond = unit >= 0xdc00 && unit <= 0xdfff && end > 1
  return isSecond ? id.codePointAt(end - 2)! : unit
}

/** The part of an id: 31 times its last sign and the one before it, or the last again where there is none. 0 without any. */
export const idPartOf = (id: string, of: number): number => {
  if (id === "") return 0
  const last = signBefore(id, id.length)
  const end = id.length - (last > 0xffff ? 2 : 1)
  return (last * 31 + (end === 0 ? last : signBefore(id, end))) & (of - 1)
}

export const isInParts = ({ of, which }: IdParts, id: string): boolean => ((which >>> idPartOf(id, of)) & 1) === 1
