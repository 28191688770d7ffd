/**
 * Where people eat and buy food: by category and country, each with the texts that its card terminals and direct debits write,
 * behind `=`. A name with `!` is also a common word: it is meant only where nothing else is said.
 */

export const foodMerchants = `
FOOD_AND_DRINK_GROCERIES
us: Kroger, Safeway, Publix=publix super market, Trader Joe's=trader joe s/trader joes, Whole Foods Market=whole foods/wholefds/wholefoods, Wegmans, H-E-B=h e b/heb/heb online, Aldi=aldi sud/aldi nord/aldi sued, Food Lion, Giant Food, Giant Eagle, Stop & Shop, Albertsons, Meijer, Hy-Vee=hy vee, ShopRite=shoprite, Harris Teeter, Sprouts Farmers Market=sprouts farmers/sprouts, WinCo Foods=winco, Vons, Ralphs, Fred Meyer=fred meyer/fred m, King Soopers=king soopers, Piggly Wiggly, Smart & Final, Food 4 Less, Jewel-Osco=jewel osco, Winn-Dixie=winn dixie, Market Basket, Hannaford, Lidl, Instacart=instacart
gb: Tesco=tesco stores/tesco express/tesco superstore/tesco store/tesco extra/tesco metro, Sainsbury's=sainsburys/sainsbury s/sainsburys s mkt/sainsburys sacat/sainsburys supermarkets, Asda=asda superstore/asda stores/asda groceries, Morrisons=wm morrison/wm morrisons/w m morrison/morrisons store/morrisons daily, Waitrose=waitrose & partners/waitrose partners, Co-op=co op/coop group/the co operative/co op group/cooperative food, Iceland=iceland foods, Ocado=ocado retail, M&S Food=m&s simply food/marks & spencer food, Budgens, Costcutter, Nisa Local, Farmfoods
de: REWE=rewe markt/rewe city/rewe to go, EDEKA=edeka center/edeka markt/e center/edeka aktiv markt, Kaufland, Penny=penny markt/penny sagt danke, Netto Marken-Discount=netto marken discount/netto marken, Norma, Alnatura, denns BioMarkt=denns biomarkt/denns bio, Tegut, HIT Markt=hit handelsgruppe, Globus, Bio Company, Famila, Combi Verbrauchermarkt
fr: Carrefour=carrefour market/carrefour city/carrefour express/carrefour contact/carrefourmarket, E.Leclerc=leclerc/e leclerc/scapnor, Intermarche=intermarche/itm, Auchan=auchan supermarche/auchan hypermarche, Monoprix, Franprix, Casino Supermarche=casino supermarche/geant casino/casino shop, Super U=super u/hyper u/systeme u/u express, Picard=picard surgeles/picard sa, Biocoop, Naturalia, Grand Frais, Cora, Match Supermarche=supermarche match
es: Mercadona, Consum, Eroski, Alcampo, Hipercor, Supercor, Ahorramas, Bonpreu, Condis, Caprabo, Dia=supermercados dia/dia tienda
it: Esselunga, Conad=conad city/conad superstore, Eurospin, Pam Panorama=pam panorama/pam local, Coop Italia=coop alleanza/unicoop, Carrefour Italia=gs spa carrefour, Iper La Grande i=iper montebello, MD Discount=md discount, NaturaSi, Penny Market=penny market
nl: Albert Heijn=albert heijn/ah to go/ah, Jumbo=jumbo supermarkt/jumbo supermarkten/jumbo foodmarkt, Plus Supermarkt=plus supermarkt/plus supermarkten, Dirk van den Broek=dirk vdbroek/dirk van den broek, Vomar, Hoogvliet, Ekoplaza, Picnic
be: Delhaize=delhaize/ad delhaize/proxy delhaize, Colruyt=colruyt/okay colruyt, Bio-Planet=bio planet
ch: Migros=migros/migrolino/m migros, Coop Schweiz=coop pronto/coop supermarkt, Denner=denner/denner ag, Volg, Manor Food
at: Billa=billa/billa dankt/billa plus, Spar=spar markt/spar dankt/eurospar/interspar, Hofer=hofer kg/hofer dankt, MPreis
se: ICA=ica supermarket/ica nara/ica kvantum/ica maxi, Hemkop=hemkop, Willys=willys/willys hemma, Coop Sverige=stora coop/coop konsum, Lidl Sverige=lidl sverige
no: Rema 1000=rema/rema 1000, Kiwi=kiwi minipris/kiwi norge, Meny=meny, Bunnpris, Joker Norge=joker dagligvare
dk: Netto=netto dk/netto danmark, Fotex=fotex, Bilka, Rema 1000 Danmark=rema1000, Irma, SuperBrugsen=superbrugsen/kvickly, Meny Danmark=meny dk
fi: K-Market=k market/k citymarket/k supermarket, S-market=s market/prisma/alepa/sale, Lidl Suomi=lidl suomi
pl: Biedronka=biedronka/jmp sa biedronka, Zabka=zabka/zabka polska, Stokrotka, Dino Polska=dino polska, Lewiatan, Polomarket
pt: Pingo Doce=pingo doce, Continente=continente/modelo continente/continente bom dia, Minipreco=minipreco
ie: Dunnes Stores=dunnes stores/dunnes, SuperValu=supervalu, Centra, Musgrave
cz: Albert=albert hypermarket/albert supermarket, Billa CZ=billa cz, Globus CZ=globus cz, Rohlik=rohlik cz/rohlik
ca: Loblaws=loblaws/real cdn superstore/real canadian superstore/no frills/zehrs/fortinos, Sobeys, Metro Canada=metro plus/super c, FreshCo, Provigo, Save-On-Foods=save on foods, Farm Boy, T&T Supermarket=t&t supermarket/t & t supermarket, Longos
au: Woolworths=woolworths/woolworths metro, Coles=coles/coles supermarkets/coles express, IGA=iga xpress/supa iga, Harris Farm Markets=harris farm
nz: Countdown=countdown/woolworths nz, New World=new world supermarket, Pak'nSave=paknsave/pak n save, Four Square
FOOD_AND_DRINK_RESTAURANT
us: Olive Garden, Applebee's=applebees/applebee s, Chili's=chili s/chilis, Cheesecake Factory=cheesecake/the cheesecake factory, Texas Roadhouse, Outback Steakhouse=outback, Red Lobster, IHOP=ihop, Denny's=dennys/denny s, Cracker Barrel, Buffalo Wild Wings=buffalo wild wings/bww, Waffle House, P.F. Chang's=pf changs/p f chang s, Red Robin, TGI Fridays=tgi fridays/tgi friday s, Ruth's Chris Steak House=ruth s chris/ruths chris, LongHorn Steakhouse=longhorn steak/longhorn, BJ's Restaurants=bj s restaurants/bjs restaurant, California Pizza Kitchen=california pizza, Benihana
gb: Nando's=nandos/nando s, Wagamama, Pizza Express=pizza express/pizzaexpress, Zizzi, Prezzo, Harvester=harvester restaurants, Toby Carvery, Dishoom, Bill's Restaurant=bills restaurant, Franco Manca, Ask Italian, Yo Sushi=yo sushi, Wetherspoons=jd wetherspoon/j d wetherspoon/wetherspoon
de: Vapiano, L'Osteria=l'osteria/losteria/l osteria, Block House=block house restaurant, Maredo, Peter Pane, Hans im Gluck=hans im gluck, dean&david=dean&david/dean & david
fr: Hippopotamus, Buffalo Grill, La Courtepaille=courtepaille, Flunch, Leon de Bruxelles=leon de bruxelles, Big Mamma=big mamma
es: Foster's Hollywood=fosters hollywood/foster s hollywood, Goiko=goiko/goiko grill, La Tagliatella=la tagliatella, 100 Montaditos=100 montaditos, VIPS=vips restaurante
FOOD_AND_DRINK_FAST_FOOD
us: McDonald's=mcdonalds/mcdonald s/mc donald s/mcd, Burger King=burger king/bk, Wendy's=wendys/wendy s, Taco Bell, Chick-fil-A=chick fil a/chickfila, Chipotle=chipotle/chipotle mexican grill/chipotle online, Subway=subway restaurant/subway, KFC=kfc/kentucky fried chicken, Popeyes=popeyes/popeye s, Five Guys=five guys/5 guys, Shake Shack, In-N-Out Burger=in n out/in n out burger, Panda Express, Panera Bread=panera/panera bread, Domino's=dominos/domino s/dominos pizza/domino s pizza, Pizza Hut, Papa John's=papa johns/papa john s, Little Caesars=little caesars/little caesar s, Arby's=arbys/arby s, Sonic Drive-In=sonic drive in, Jack in the Box=jack in the box, Whataburger, Bojangles=bojangles, Culver's=culvers/culver s, Raising Cane's=raising canes/raising cane s, Jimmy John's=jimmy johns/jimmy john s, Jersey Mike's=jersey mikes/jersey mike s, Firehouse Subs=firehouse subs, Zaxby's=zaxbys/zaxby s, Wingstop, Qdoba, Del Taco, El Pollo Loco, Hardee's=hardees/hardee s, Carl's Jr=carls jr/carl s jr, Dairy Queen=dairy queen/dq grill, White Castle, Cava=cava grill, Sweetgreen=sweetgreen, Noodles & Company=noodles & company/noodles & co
gb: Greggs=greggs/greggs plc, Pret A Manger=pret a manger/pret, Leon=leon restaurants, Itsu, Wasabi=wasabi sushi, Tortilla=tortilla mexican grill, Subway UK=subway uk, Wimpy
de: Nordsee, Backwerk=backwerk/back werk, Call a Pizza=call a pizza
fr: Quick=quick restaurant, O'Tacos=o tacos/otacos, Brioche Doree=brioche doree, Paul=boulangerie paul/paul boulangerie, Pomme de Pain=pomme de pain, Class'Croute=classcroute/class croute
es: Telepizza, Rodilla, Pans & Company=pans & company/pans company
nl: Febo, New York Pizza=new york pizza, La Place=la place
ca: Harvey's=harveys/harvey s, A&W=a&w/a & w, Mary Brown's=mary browns, Swiss Chalet=swiss chalet
au: Hungry Jack's=hungry jacks/hungry jack s, Red Rooster=red rooster, Guzman y Gomez=guzman y gomez/gyg, Grill'd=grilld/grill d, Zambrero
FOOD_AND_DRINK_COFFEE
us: Starbucks=starbucks/starbucks store/starbucks coffee, Dunkin'=dunkin/dunkin donuts, Peet's Coffee=peets/peet s coffee/peets coffee, Dutch Bros=dutch bros/dutch bros coffee, Caribou Coffee, Blue Bottle Coffee=blue bottle, Tim Hortons=tim hortons/tim horton s, The Coffee Bean=the coffee bean/coffee bean & tea leaf, Philz Coffee=philz coffee, Scooter's Coffee=scooters coffee
gb: Costa Coffee=costa/costa coffee, Caffe Nero=caffe nero/nero, Gail's=gails/gail s/gails bakery, Black Sheep Coffee=black sheep coffee, Esquires Coffee=esquires
de: Tchibo, Einstein Kaffee=einstein kaffee, Coffee Fellows=coffee fellows, Balzac Coffee=balzac coffee
fr: Columbus Cafe=columbus cafe, French Coffee Shop=french coffee shop
se: Espresso House=espresso house, Wayne's Coffee=waynes coffee/wayne s coffee
au: Gloria Jean's=gloria jeans/gloria jean s, The Coffee Club=the coffee club, Muffin Break=muffin break
FOOD_AND_DRINK_DELIVERY
us: DoorDash=doordash/dd doordash/doordash inc, Uber Eats=uber eats/ubereats, Grubhub=grubhub/grubhub holdings, Postmates, HelloFresh=hellofresh/hello fresh, Blue Apron=blue apron, Factor Meals=factor75/factor meals, Gopuff=gopuff
gb: Deliveroo=deliveroo/deliveroo co uk, Just Eat=just eat/just eat co uk, Gousto, Mindful Chef=mindful chef
de: Lieferando=lieferando/lieferando de/takeaway com/yd yourdelivery, Wolt, Gorillas=gorillas technologies, Flink=flink de, foodora
nl: Thuisbezorgd=thuisbezorgd/thuisbezorgd nl
es: Glovo=glovo/glovoapp
ca: SkipTheDishes=skipthedishes/skip the dishes
au: Menulog
FOOD_AND_DRINK_BARS
us: Total Wine & More=total wine/total wine & more, BevMo=bevmo, ABC Fine Wine=abc fine wine
gb: Majestic Wine=majestic wine, BrewDog=brewdog/brewdog bars, Greene King=greene king, Mitchells & Butlers=mitchells & butlers, Naked Wines=naked wines
fr: Nicolas=vins nicolas, V and B=v and b
se: Systembolaget
no: Vinmonopolet
fi: Alko=alko oy/alko
ca: LCBO=lcbo, SAQ=saq selection, BC Liquor=bc liquor
au: Dan Murphy's=dan murphys/dan murphy s, BWS=bws liquor, Liquorland
FOOD_AND_DRINK_BAKERY
us: Krispy Kreme=krispy kreme, Baskin-Robbins=baskin robbins, Insomnia Cookies=insomnia cookies, Crumbl=crumbl/crumbl cookies, Nothing Bundt Cakes=nothing bundt, Cold Stone Creamery=cold stone, Auntie Anne's=auntie annes/auntie anne s, Einstein Bros Bagels=einstein bros
de: Kamps=kamps backerei, BackFactory=backfactory, Ditsch, Backerei Junge=junge backerei, Le Crobag=le crobag, Hofpfisterei
`
