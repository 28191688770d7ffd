/** What a failed call of the file system means for a delivery. Messages never hold a path of this machine. */
import { DestinationRejected, DestinationUnavailable } from "@millrace/core/destination"

const full = new Set(["ENOSPC", "EDQUOT"])

/** Reasons that stay until somebody changes the folder or the path. */
const lasting: Readonly<Record<string, string>> = {
  EACCES: "the server may not write there",
  EPERM: "the server may not write there",
  EROFS: "the file system is read-only",
  ENOTDIR: "a part of the path is a file, not a folder",
  EEXIST: "a part of the path is a file, not a folder",
  EISDIR: "the path is a folder",
  ENAMETOOLONG: "a name in the path is too long",
  ELOOP: "the path has too many links",
  EFBIG: "the file is too large for the file system",
  EINVAL: "the path cannot be used"
}

export const codeOf = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "code" in cause && typeof cause.code === "string" ? cause.code : ""

/** `path` is the path of the feed's configuration. */
export const fromCause = (path: string, cause: unknown): DestinationRejected | DestinationUnavailable => {
  const code = codeOf(cause)
  const reason = lasting[code]
  if (reason !== undefined)
    return new DestinationRejected({ message: `The file "${path}" cannot be written: ${reason}.` })
  return new DestinationUnavailable({
    message: full.has(code)
      ? `The file "${path}" cannot be written: the disk is full.`
      : `The file "${path}" cannot be written at present.`
  })
}
