/** Values beside a statement that is put together from fixed parts. */
export class SqlParameters {
  readonly values: Array<unknown> = []

  private add(value: unknown): string {
    this.values.push(value)
    return `$${this.values.length}`
  }

  readonly text = (value: string): string => `${this.add(value)}::text`
  readonly texts = (values: ReadonlyArray<string>): string => `${this.add([...values])}::text[]`
  /** Decimal text. */
  readonly number = (value: string): string => `${this.add(value)}::numeric`
  readonly numbers = (values: ReadonlyArray<string>): string => `${this.add([...values])}::text[]::numeric[]`
  readonly boolean = (value: boolean): string => `${this.add(value)}::boolean`
  readonly date = (value: string): string => `${this.add(value)}::date`
  readonly integer = (value: number): string => `${this.add(value)}::int`
}
