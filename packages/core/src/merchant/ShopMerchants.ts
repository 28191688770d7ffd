/** Shops: by category and country, in the form of `foodMerchants`. */

export const shopMerchants = `
GENERAL_MERCHANDISE_ONLINE_MARKETPLACES
us: Amazon=amazon/amazon com/amazon mktplace/amazon mktp/amzn mktp/amzn/amzn com/amazon marketplace/amazon eu/amazon retail/amzn digital/amazon payments/amazon de/amazon fr/amazon co uk/amazon es/amazon it, eBay=ebay/ebay o/ebay commerce, Etsy=etsy/etsy com, Wish=wish com, AliExpress=aliexpress/alipay aliexpress, Temu=temu/temu com, Shein=shein/shein com, Mercari, Poshmark, Wayfair=wayfair/wayfair com, Chewy=chewy com/chewy, QVC=qvc, StockX=stockx
gb: Vinted=vinted/vinted uk, Gumtree
de: Otto=otto gmbh/otto payments/otto de, Kleinanzeigen=kleinanzeigen/ebay kleinanzeigen, Zalando=zalando/zalando se/zalando payments
fr: Cdiscount=cdiscount/cdiscount com, Leboncoin=leboncoin, Veepee=veepee/vente privee, La Redoute=la redoute/laredoute
nl: Bol=bol com/bol com b v, Marktplaats=marktplaats, Wehkamp
pl: Allegro=allegro/allegro pl
es: Wallapop, PcComponentes=pccomponentes
au: Catch=catch com au, Kogan=kogan com
GENERAL_MERCHANDISE_SUPERSTORES
us: Walmart=walmart/wal mart/wm supercenter/wal mart super/walmart com/walmart supercenter/wm superc, !Target=target/target com/target t, Costco=costco/costco whse/costco wholesale/costco by instacar, Sam's Club=sams club/sam s club/samsclub, BJ's Wholesale=bjs wholesale/bj s wholesale, Big Lots=big lots, Fleet Farm=fleet farm
de: Metro=metro cash & carry/metro deutschland, Real=real sb warenhaus
au: Kmart Australia=kmart, Big W=big w
nz: The Warehouse=the warehouse
ca: Canadian Tire=canadian tire/cdn tire store, Giant Tiger=giant tiger
GENERAL_MERCHANDISE_DEPARTMENT_STORES
us: Macy's=macys/macy s/macys com, Nordstrom=nordstrom/nordstrom rack, Kohl's=kohls/kohl s, JCPenney=jcpenney/jc penney, Dillard's=dillards/dillard s, Bloomingdale's=bloomingdales/bloomingdale s, Neiman Marcus=neiman marcus, Saks Fifth Avenue=saks fifth avenue/saks
gb: Marks & Spencer=marks & spencer/marks&spencer/m&s/marks spencer, John Lewis=john lewis/john lewis & partners/john lewis plc, Debenhams, Selfridges, Harrods, Fenwick, House of Fraser=house of fraser
de: Galeria=galeria kaufhof/galeria karstadt/galeria, KaDeWe=kadewe, Breuninger
fr: Galeries Lafayette=galeries lafayette, Le Bon Marche=le bon marche, Printemps=printemps haussmann, BHV=bhv marais
es: El Corte Ingles=el corte ingles/corte ingles
it: La Rinascente=la rinascente/rinascente, Coin=coin spa
nl: De Bijenkorf=de bijenkorf/bijenkorf, HEMA=hema
se: Ahlens=ahlens
ca: Hudson's Bay=hudsons bay/hudson s bay/the bay
au: David Jones=david jones, Myer=myer pty
GENERAL_MERCHANDISE_DISCOUNT_STORES
us: Dollar Tree=dollar tree, Dollar General=dollar general/dg, Family Dollar=family dollar, Five Below=five below, Ross=ross stores/ross dress for less, TJ Maxx=tj maxx/tjmaxx/t j maxx, Marshalls=marshalls, Burlington=burlington stores/burlington coat, Goodwill=goodwill, HomeGoods=homegoods
gb: Poundland, B&M=b&m/b & m/b&m retail, Home Bargains=home bargains, Wilko=wilko, TK Maxx=tk maxx/tkmaxx, Primark=primark/primark stores, Savers=savers health
de: Action=action deutschland/action, TEDi=tedi, Woolworth=woolworth gmbh, KiK=kik textilien, Mac-Geiz=mac geiz
fr: Gifi=gifi, La Foir'Fouille=la foir'fouille/foirfouille, Noz=noz
se: Dollarstore=dollarstore, Rusta=rusta
ca: Dollarama=dollarama
GENERAL_MERCHANDISE_CLOTHING
us: Old Navy=old navy, !Gap=gap/gap us/gap outlet, Banana Republic=banana republic, Nike=nike/nike com/nike store, Adidas=adidas/adidas ag, Lululemon=lululemon/lululemon athletica, American Eagle=american eagle/ae outf, Abercrombie & Fitch=abercrombie/abercrombie & fitch, Hollister=hollister, Victoria's Secret=victorias secret/victoria s secret, Foot Locker=foot locker/footlocker, DSW=dsw, Urban Outfitters=urban outfitters, Anthropologie=anthropologie, Forever 21=forever 21, Levi's=levis/levi s/levi strauss, J.Crew=j crew/jcrew, Skechers=skechers, Under Armour=under armour, Patagonia=patagonia, The North Face=the north face, Famous Footwear=famous footwear, Vans=vans store, Michael Kors=michael kors, Coach=coach outlet, Tiffany & Co=tiffany & co, Kay Jewelers=kay jewelers, Rent the Runway=rent the runway, Stitch Fix=stitch fix
gb: !Next=next/next retail/next directory/next online, ASOS=asos/asos com, New Look=new look retailers/new look, River Island=river island, Superdry=superdry, JD Sports=jd sports/jd sports fashion, Matalan, Peacocks, Boohoo=boohoo/boohoo com, PrettyLittleThing=prettylittlething, Clarks=clarks shoes/c & j clark, Schuh=schuh, FatFace=fat face/fatface, White Stuff=white stuff, Monsoon=monsoon accessorize
de: H&M=h&m/h & m/hm com/h m hennes, C&A=c&a/c & a/c a mode, Peek & Cloppenburg=peek & cloppenburg/peek cloppenburg, Deichmann=deichmann/deichmann schuhe, About You=about you, Ernsting's family=ernstings family/ernsting's family, s.Oliver=s oliver, Takko=takko fashion, NKD=nkd, Bonprix=bonprix, Tom Tailor=tom tailor, Hunkemoller=hunkemoller, Snipes=snipes
es: Zara=zara/zara com/zara home, Mango=mango/mango com/mng, Bershka=bershka, Pull&Bear=pull&bear/pull & bear/pull and bear, Stradivarius=stradivarius, Massimo Dutti=massimo dutti, Oysho=oysho, Desigual=desigual, Springfield=springfield tienda, Camper=camper shoes
fr: Kiabi=kiabi, Jules=jules, Celio=celio, Promod=promod, Camaieu=camaieu, Gemo=gemo, La Halle=la halle, Petit Bateau=petit bateau, Sezane=sezane, Undiz=undiz, Etam=etam, Jacadi=jacadi, Bocage=bocage
it: OVS=ovs spa/ovs, Benetton=benetton/united colors of benetton, Calzedonia=calzedonia, Intimissimi=intimissimi, Yamamay=yamamay, Geox=geox, Piazza Italia=piazza italia, Terranova=terranova
jp: Uniqlo=uniqlo
se: Kappahl=kappahl, Lindex=lindex, Gina Tricot=gina tricot, COS=cos stores
nl: WE Fashion=we fashion, Zeeman=zeeman, vanHaren=vanharen/van haren
au: Cotton On=cotton on, Country Road=country road
GENERAL_MERCHANDISE_ELECTRONICS
us: Best Buy=best buy/bestbuy/bestbuycom, Apple Store=apple store/apple retail, B&H Photo=b&h photo/b & h photo, Newegg=newegg, Micro Center=micro center, GameStop=gamestop, Dell=dell inc/dell technologies
gb: Currys=currys/currys pc world/currys online, Argos=argos/argos retail, Richer Sounds=richer sounds, CEX=cex ltd
de: MediaMarkt=mediamarkt/media markt, Saturn=saturn electro/saturn, Cyberport=cyberport, Alternate=alternate gmbh, notebooksbilliger=notebooksbilliger/notebooksbilliger de, Conrad Electronic=conrad electronic, Euronics
fr: Fnac=fnac/fnac com/fnac direct, Darty=darty, Boulanger=boulanger, LDLC=ldlc, Back Market=back market/backmarket
nl: Coolblue=coolblue, BCC=bcc elektro
ch: Digitec Galaxus=digitec/digitec galaxus/galaxus, Interdiscount=interdiscount
se: Elgiganten=elgiganten, NetOnNet=netonnet, Webhallen=webhallen, Kjell & Company=kjell & company/kjell & co
no: Elkjop=elkjop, Komplett=komplett no
it: Unieuro=unieuro, Euronics Italia=euronics italia, MediaWorld=mediaworld/media world
au: JB Hi-Fi=jb hi fi, Harvey Norman=harvey norman, Officeworks=officeworks, The Good Guys=the good guys
GENERAL_MERCHANDISE_SPORTING_GOODS
us: Dick's Sporting Goods=dicks sporting goods/dick s sporting goods, REI=rei com/rei, Academy Sports=academy sports, Bass Pro Shops=bass pro/bass pro shops, Cabela's=cabelas/cabela s, Big 5 Sporting Goods=big 5 sporting, Peloton=peloton, Golf Galaxy=golf galaxy
gb: Sports Direct=sports direct/sportsdirect, Halfords=halfords, Go Outdoors=go outdoors, Evans Cycles=evans cycles
fr: Decathlon=decathlon, Intersport=intersport, Go Sport=go sport
de: SportScheck=sportscheck, Globetrotter=globetrotter ausrustung, Bergzeit=bergzeit
se: XXL Sport=xxl sport, Stadium=stadium ab/stadium outlet
GENERAL_MERCHANDISE_BOOKSTORES
us: Barnes & Noble=barnes & noble/barnes&noble/barnesnoble, Half Price Books=half price books, Books-A-Million=books a million
gb: Waterstones=waterstones, WHSmith=whsmith/wh smith/w h smith, Blackwell's=blackwells, The Works=the works stores
de: Thalia=thalia/thalia bucher, Hugendubel=hugendubel, Medimops=medimops, Mayersche=mayersche
fr: Gibert Joseph=gibert joseph/gibert, Cultura=cultura, Decitre=decitre
it: Feltrinelli=feltrinelli/la feltrinelli, Mondadori Store=mondadori
es: Casa del Libro=casa del libro
GENERAL_MERCHANDISE_PET_SUPPLIES
us: PetSmart=petsmart, Petco=petco, BarkBox=barkbox
gb: Pets at Home=pets at home, Jollyes=jollyes
de: Fressnapf=fressnapf, zooplus=zooplus, Futterhaus=das futterhaus/futterhaus
fr: Maxi Zoo=maxi zoo, Animalis=animalis
au: Petbarn=petbarn
GENERAL_MERCHANDISE_TOYS_AND_GIFTS
us: Michaels=michaels stores/michaels, Hobby Lobby=hobby lobby/hobby lobby stores, JOANN=joann/joann stores, Party City=party city, Lego=lego/lego store/lego brand retail, Build-A-Bear=build a bear, 1-800-Flowers=1 800 flowers, Hallmark=hallmark
gb: Smyths Toys=smyths/smyths toys, The Entertainer=the entertainer, Card Factory=card factory, Moonpig=moonpig, Hobbycraft=hobbycraft, Bloom & Wild=bloom & wild
fr: La Grande Recre=la grande recre, King Jouet=king jouet, Interflora=interflora
de: Idee Creativmarkt=idee creativmarkt, MyToys=mytoys
dk: Flying Tiger=flying tiger/flying tiger copenhagen, Sostrene Grene=sostrene grene
GENERAL_MERCHANDISE_CONVENIENCE_STORES
us: 7-Eleven=7 eleven/7eleven/seven eleven, Wawa=wawa, Sheetz=sheetz, QuikTrip=quiktrip/qt, Circle K=circle k, Casey's=caseys/casey s/caseys gen store/casey s general store, Cumberland Farms=cumberland farms, Buc-ee's=buc ee s/bucees, Speedway=speedway, Kwik Trip=kwik trip, RaceTrac=racetrac, Love's=loves travel/love s travel, Pilot Flying J=pilot flying j/pilot travel, Royal Farms=royal farms, GoMart=gomart/go mart
gb: Spar UK=spar uk, One Stop=one stop stores, McColl's=mccolls/mccoll s, Premier Stores=premier stores, Londis
fr: Relay=relay france/relay, Monop'=monop/monop daily
se: Pressbyran=pressbyran, Narvesen=narvesen
GENERAL_MERCHANDISE_OFFICE_SUPPLIES
us: Staples=staples/staples inc, Office Depot=office depot/officemax/office depot officemax
gb: Ryman=ryman, Viking Direct=viking direct
de: Pagro=pagro, McPaper=mcpaper, Staples Deutschland=staples deutschland
fr: Bureau Vallee=bureau vallee, Top Office=top office
HOME_IMPROVEMENT_FURNITURE
us: IKEA=ikea/ikea com, West Elm=west elm, Pottery Barn=pottery barn, Crate & Barrel=crate & barrel/crate barrel, Williams-Sonoma=williams sonoma, Bed Bath & Beyond=bed bath & beyond/bed bath beyond, Ashley Furniture=ashley furniture, La-Z-Boy=la z boy, Mattress Firm=mattress firm, Casper=casper sleep, RH=restoration hardware, Article=article com, The Container Store=container store/the container store
gb: Dunelm=dunelm, DFS=dfs furniture, Habitat=habitat retail, Made.com=made com, Dreams=dreams ltd, The White Company=the white company
de: XXXLutz=xxxlutz/xxxl, Poco=poco einrichtung, JYSK=jysk, Roller=roller mobel, Hoffner=hoffner, Segmuller=segmuller, Home24=home24, Westwing=westwing
fr: Conforama=conforama, But=but international, Maisons du Monde=maisons du monde, Alinea=alinea, Bouchara=bouchara
it: Mondo Convenienza=mondo convenienza, Poltronesofa=poltronesofa, Maisons du Monde Italia=maisons du monde italia
nl: Kwantum=kwantum, Leen Bakker=leen bakker
HOME_IMPROVEMENT_HARDWARE
us: Home Depot=home depot/the home depot/homedepot com, Lowe's=lowes/lowe s/lowe's, Ace Hardware=ace hardware/ace hdwe, Menards=menards, Harbor Freight=harbor freight/harbor freight tools, True Value=true value hardware, Tractor Supply=tractor supply, Sherwin-Williams=sherwin williams, Benjamin Moore=benjamin moore
gb: B&Q=b&q/b & q, Screwfix=screwfix/screwfix direct, Wickes=wickes, Homebase=homebase, Toolstation=toolstation, Travis Perkins=travis perkins, Robert Dyas=robert dyas
de: OBI=obi/obi bau, Bauhaus=bauhaus/bauhaus gmbh, Hornbach=hornbach/hornbach baumarkt, toom=toom baumarkt/toom, Hagebau=hagebaumarkt/hagebau, Hellweg=hellweg, Dehner=dehner, Pflanzen Kolle=pflanzen kolle
fr: Leroy Merlin=leroy merlin, Castorama=castorama, Brico Depot=brico depot, Bricomarche=bricomarche, Mr Bricolage=mr bricolage/mr bricolage, Jardiland=jardiland, Truffaut=truffaut, Gamm Vert=gamm vert, Point P=point p
it: Bricoman=bricoman, Brico Center=brico center/bricocenter, Brico io=brico io
nl: Gamma=gamma bouwmarkt/gamma, Praxis=praxis bouwmarkt, Karwei=karwei, Intratuin=intratuin, Hornbach NL=hornbach nl
se: Biltema=biltema, Clas Ohlson=clas ohlson, Jula=jula, Bauhaus Sverige=bauhaus sverige, Plantagen=plantagen
ca: Rona=rona, Home Hardware=home hardware
au: Bunnings=bunnings/bunnings warehouse, Mitre 10=mitre 10
MEDICAL_PHARMACIES
us: CVS=cvs/cvs pharmacy/cvs pharm, Walgreens=walgreens/walgreens store, Rite Aid=rite aid/rite aid store, GNC=gnc, Vitamin Shoppe=vitamin shoppe, Express Scripts=express scripts, Duane Reade=duane reade, GoodRx=goodrx
gb: Boots=boots/boots uk/boots the chemist, Superdrug=superdrug, Holland & Barrett=holland & barrett/holland barrett, Lloyds Pharmacy=lloyds pharmacy/lloydspharmacy, Well Pharmacy=well pharmacy
de: dm-drogerie markt=dm drogerie markt/dm drogeriemarkt/dm fil/dm, Rossmann=rossmann/dirk rossmann, Muller=muller drogerie/muller handels, DocMorris=docmorris, Shop Apotheke=shop apotheke
nl: Kruidvat=kruidvat, Etos=etos, Trekpleister=trekpleister, Holland & Barrett NL=holland barrett nl
ca: Shoppers Drug Mart=shoppers drug mart/shoppers drug, Jean Coutu=jean coutu, Rexall=rexall, Pharmaprix=pharmaprix
au: Chemist Warehouse=chemist warehouse, Priceline Pharmacy=priceline pharmacy, TerryWhite=terrywhite/terry white
se: Apotek Hjartat=apotek hjartat, Apoteket=apoteket, Kronans Apotek=kronans apotek
PERSONAL_CARE_COSMETICS
us: Sephora=sephora/sephora com, Ulta Beauty=ulta/ulta beauty, Bath & Body Works=bath & body works/bath body works, The Body Shop=the body shop, MAC Cosmetics=mac cosmetics, Glossier=glossier
gb: Lush=lush retail/lush, Space NK=space nk, Lookfantastic=lookfantastic
de: Douglas=douglas/parfumerie douglas, Flaconi=flaconi, Rituals=rituals/rituals cosmetics
fr: Yves Rocher=yves rocher, Marionnaud=marionnaud, Nocibe=nocibe, L'Occitane=l'occitane/loccitane
it: Kiko Milano=kiko/kiko milano, Acqua & Sapone=acqua & sapone
PERSONAL_CARE_GYMS
us: Planet Fitness=planet fitness/planet fit, LA Fitness=la fitness, Equinox=equinox, Anytime Fitness=anytime fitness, Orangetheory=orangetheory/orangetheory fitness, 24 Hour Fitness=24 hour fitness, Crunch Fitness=crunch fitness, YMCA=ymca, SoulCycle=soulcycle, ClassPass=classpass, Gold's Gym=golds gym/gold s gym, Life Time=life time fitness/lifetime fitness
gb: PureGym=puregym/pure gym, The Gym Group=the gym group/the gym, David Lloyd=david lloyd/david lloyd leisure, Virgin Active=virgin active, Nuffield Health=nuffield health
de: McFit=mcfit/rsg group, FitX=fitx, Clever fit=clever fit, Urban Sports Club=urban sports club/urban sports, John Reed=john reed, EGYM Wellpass=egym wellpass
fr: Basic-Fit=basic fit, Neoness=neoness, Fitness Park=fitness park, L'Orange Bleue=l'orange bleue
nl: Basic-Fit Nederland=basic fit nederland, Sportcity=sportcity
PERSONAL_CARE_HAIR_AND_BEAUTY
us: Great Clips=great clips, Supercuts=supercuts, Sport Clips=sport clips, European Wax Center=european wax, Massage Envy=massage envy, Drybar=drybar
gb: Toni & Guy=toni & guy, Rush Hair=rush hair, Treatwell=treatwell
de: Klier=klier friseur/klier
`
