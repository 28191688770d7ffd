import { describe, expect, it } from "vitest"
import { fromCause } from "../../../src/destination/file/FileFault.ts"

const failed = (code: string) =>
  fromCause("books/a.csv", Object.assign(new RangeError(`${code}: open '/srv/data/files/books/a.csv'`), { code }))

describe("file faults", () => {
  it("refuse for good what only a person can put right", () => {
    expect(
      ["EACCES", "EPERM", "EROFS", "ENOTDIR", "EISDIR", "ENAMETOOLONG", "EFBIG"].map((code) => failed(code)._tag)
    ).toEqual(Array.from({ length: 7 }, () => "DestinationRejected"))
    expect(failed("EACCES").message).toBe('The file "books/a.csv" cannot be written: the server may not write there.')
  })

  it("leave room for another try where it may pass", () => {
    expect(["ENOSPC", "EDQUOT", "EIO", "EMFILE", "EBUSY", "ENOENT"].map((code) => failed(code)._tag)).toEqual(
      Array.from({ length: 6 }, () => "DestinationUnavailable")
    )
    expect(fromCause("books/a.csv", "no error at all")._tag).toBe("DestinationUnavailable")
  })

  it("never name a place on the machine", () => {
    for (const code of ["EACCES", "ENOSPC", "EIO", "ELOOP"]) expect(failed(code).message).not.toContain("/srv")
  })
})
