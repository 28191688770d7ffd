/** Files of statements. */

/** Two bookings on the first days that begin so. */
export const statement = (days: string): string =>
  [
    "Date;Description;Amount;Currency;Account",
    ...["Coffee;-4.50", "Tea;-3.50"].map((text, n) => `${days}${n + 2};${text};CHF;CH9300762011623852957`),
    ""
  ].join("\n")

/** A file as browsers send it. */
export const formOf = (fileName: string, content: string) => ({
  headers: { "content-type": "multipart/form-data; boundary=replay" },
  body: [
    "--replay",
    `Content-Disposition: form-data; name="file"; filename="${fileName}"`,
    "Content-Type: text/csv",
    "",
    content,
    "--replay--",
    ""
  ].join("\r\n")
})
