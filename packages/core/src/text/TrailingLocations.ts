/** Towns and codes that card networks put behind the name of a merchant. All of it folded, without marks. */

const list = (text: string): ReadonlySet<string> =>
  new Set(
    text
      .split(/[,\n]/)
      .map((name) => name.trim())
      .filter((name) => name !== "")
  )

const towns = list(`
  amsterdam, antwerp, antwerpen, atlanta, athens, auckland, austin, barcelona, basel, beijing, berlin, bern, bilbao,
  birmingham, bogota, bologna, bordeaux, boston, bratislava, bremen, brisbane, bristol, brooklyn, brussels, bruxelles,
  bucharest, budapest, buenos aires, calgary, canberra, cape town, cardiff, charlotte, chicago, christchurch, cologne,
  copenhagen, cork, dallas, delhi, den haag, denver, detroit, dortmund, dresden, dubai, dublin, dusseldorf, edinburgh,
  espoo, essen, firenze, florence, frankfurt, frankfurt am main, gdansk, geneva, geneve, genova, gent, glasgow, goteborg,
  graz, hamburg, hannover, helsinki, hong kong, houston, istanbul, johannesburg, karlsruhe, kobenhavn, koln, krakow,
  lausanne, leeds, leipzig, lille, lisboa, lisbon, liverpool, ljubljana, london, los angeles, luxembourg, lyon, madrid,
  malaga, malmo, manchester, mannheim, marseille, melbourne, mexico city, miami, milan, milano, minneapolis, montpellier,
  montreal, mumbai, munchen, munich, nantes, napoli, nashville, new york, newcastle, nice, nurnberg, oakland, orlando,
  osaka, oslo, ottawa, oxford, palermo, paris, perth, philadelphia, phoenix, pittsburgh, porto, portland, prague, praha,
  quebec, reykjavik, riga, rio de janeiro, roma, rome, rotterdam, sacramento, salt lake city, salzburg, san antonio,
  san diego, san francisco, san jose, santiago, sao paulo, seattle, sevilla, seville, sheffield, singapore, sofia,
  stockholm, strasbourg, stuttgart, sydney, tallinn, tampa, tel aviv, the hague, tokyo, torino, toronto, toulouse, turin,
  uppsala, utrecht, valencia, vancouver, vienna, vilnius, warsaw, warszawa, washington, wellington, wien, winnipeg,
  winterthur, wroclaw, zagreb, zaragoza, zurich
`)

const codes = list(`
  ad, ae, ar, at, au, ba, be, bg, br, ca, ch, cl, cn, co, cr, cy, cz, de, dk, ee, eg, es, fi, fr, gb, ge, gr, hk, hr, hu,
  id, ie, il, in, is, it, jp, ke, kr, li, lt, lu, lv, ma, mc, md, me, mk, mt, mx, my, ng, nl, no, nz, pe, ph, pk, pl, pt,
  ro, rs, ru, sa, se, sg, si, sk, th, tn, tr, tw, ua, uk, us, uy, vn, za
  aut, aus, bel, can, che, cze, deu, dnk, esp, fin, fra, gbr, hun, irl, ita, jpn, lux, mex, nld, nor, nzl, pol, prt, swe,
  tur, usa, zaf
  ak, al, az, ct, dc, fl, ga, hi, ia, ks, ky, la, mi, mn, mo, ms, nc, nd, nh, nj, nm, nv, ny, oh, ok, or, pa, ri, sc, sd,
  tx, ut, va, vt, wa, wi, wv, wy
  ab, bc, mb, nb, ns, on, pei, qc, sk, yt
  act, nsw, nt, qld, sa, tas, vic
`)

const longestTown = 3

/** Counts the words at the end that name a town and the code of its country or state; 0 where either is missing. */
export const trailingLocationWords = (words: ReadonlyArray<string>): number => {
  const last = words.length - 1
  if (last < 1 || !codes.has(words[last]!)) return 0
  for (let size = Math.min(longestTown, last); size > 0; size--) {
    if (towns.has(words.slice(last - size, last).join(" "))) return size + 1
  }
  return 0
}
