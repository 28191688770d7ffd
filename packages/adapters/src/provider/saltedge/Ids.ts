/** Ids of Salt Edge: whole numbers of up to 19 digits, as text. They grow in the order in which things arrived. */

const form = /^\d{1,30}$/

export const isId = (text: string): boolean => form.test(text)

/** The id under any of the names that the versions have for it. */
export const idOf = (...written: ReadonlyArray<string | null | undefined>): string | undefined =>
  written.find((id): id is string => typeof id === "string" && isId(id))

/** Negative where `a` arrived before `b`. */
export const inOrder = (a: string, b: string): number => {
  const [one, other] = [BigInt(a), BigInt(b)]
  return one < other ? -1 : one > other ? 1 : 0
}
