/** Decoders of every encoding that files of banks have: those of the platform, and two tables of DOS that it lacks. */
import type { DosEncoding } from "@millrace/core/feed"

/** Characters of the bytes from 0x80 on. */
const dosTables: Readonly<Record<DosEncoding, string>> = {
  ibm850:
    "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0",
  ibm852:
    "ÇüéâäůćçłëŐőîŹÄĆÉĹĺôöĽľŚśÖÜŤťŁ×čáíóúĄąŽžĘę¬źČş«»░▒▓│┤ÁÂĚŞ╣║╗╝Żż┐└┴┬├─┼Ăă╚╔╩╦╠═╬¤đĐĎËďŇÍÎě┘┌█▄ŢŮ▀ÓßÔŃńňŠšŔÚŕŰýÝţ´\u00ad˝˛ˇ˘§÷¸°¨˙űŘř■\u00a0"
}

export interface TextDecoderLike {
  readonly decode: (bytes?: Uint8Array, options?: { readonly stream?: boolean }) => string
}

const isDos = (encoding: string): encoding is DosEncoding => encoding in dosTables

const dosDecoder = (table: string): TextDecoderLike => ({
  decode: (bytes) => {
    if (bytes === undefined) return ""
    let text = ""
    for (const byte of bytes) text += byte < 0x80 ? String.fromCharCode(byte) : table[byte - 0x80]!
    return text
  }
})

/** `ignoreBOM`: a byte order mark stays in the text. */
export const decoderOf = (encoding: string, options?: { readonly ignoreBOM: boolean }): TextDecoderLike =>
  isDos(encoding) ? dosDecoder(dosTables[encoding]) : new TextDecoder(encoding, options)
