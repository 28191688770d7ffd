/** One way in which money goes, in one currency: what has been usual is kept by it (enrichments D4.1). */
export class Side {
  readonly name: string
  private readonly names = new Map<string, string>()

  constructor(isOut: boolean, currency: string) {
    this.name = `${isOut ? "out" : "in"}\n${currency}`
  }

  /** What a category or a merchant is kept by: the very same text each time, which is looked up at once. */
  of(name: string): string {
    let found = this.names.get(name)
    if (found === undefined) this.names.set(name, (found = `${name}\n${this.name}`))
    return found
  }
}

/** Each of them once. */
export class Sides {
  private readonly out = new Map<string, Side>()
  private readonly into = new Map<string, Side>()

  of({ currency, isOut }: { readonly currency: string; readonly isOut: boolean }): Side {
    const sides = isOut ? this.out : this.into
    let side = sides.get(currency)
    if (side === undefined) sides.set(currency, (side = new Side(isOut, currency)))
    return side
  }
}
