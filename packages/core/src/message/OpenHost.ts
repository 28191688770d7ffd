/**
 * Whether a host could be public, as far as its name tells. What it leads to is judged when it is asked: by the one client for
 * requests outside, each time.
 */

/** Names that only mean something inside of one network. */
const insideNames = /(?:^|\.)(?:localhost|local|internal|intranet|lan|home|corp|home\.arpa)\.?$/i

const ip4 = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/

const isOpen4 = (first: number, second: number): boolean =>
  !(
    first === 0 ||
    first === 10 ||
    first === 127 ||
    first >= 224 ||
    (first === 100 && second >= 64 && second < 128) ||
    (first === 169 && second === 254) ||
    (first === 172 && second >= 16 && second < 32) ||
    (first === 192 && second === 168) ||
    (first === 198 && (second === 18 || second === 19))
  )

/** `host` as `URL` has it: names in small letters, IPv6 in brackets. */
export const isOpenHost = (host: string): boolean => {
  // The registries give out 2000::/3 alone.
  if (host.startsWith("[")) return /^\[[23][0-9a-f]{3}:/i.test(host)
  const parts = ip4.exec(host)
  if (parts !== null) return isOpen4(Number(parts[1]), Number(parts[2]))
  return host.includes(".") && !insideNames.test(host)
}
