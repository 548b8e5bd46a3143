/** Texts of many kinds, each with the tokens that OpenAI's o200k_base counts. */
export const TEXTS: readonly (readonly [kind: string, text: string, tokens: number])[] = [
  [
    "English",
    "`src` is what runs on a request. Programs and the dashboard are packages of their own, in `packages`, which import from `src`; nothing\nin `src` imports from them. A folder of `src` is one stage of a request, and a file is one step of that stage. Imports only go down:\n",
    68,
  ],
  [
    "TypeScript",
    'import type { JsonScanner } from "./json-scanner.ts";\n\nconst LINE_FEED = 0x0a;\nconst CARRIAGE_RETURN = 0x0d;\n\n/** How a line with data begins. The space that may follow is also one of JSON. */\nconst DATA = new TextEncoder().encode("data:");\n\n/** The byte between several lines of data in one event. */\nconst JOINT = Uint8Array.of(LINE_FEED);\n\n/** Instead of a number of matched bytes: the line has begun with something else, and does not matter. */\nconst OTHER = -1;\n\n/**\n * Gives the data of a stream of server-sent events to a scanner, event by event. Lines end in LF, CR or both, and are not\n * kept, so they may have any length.\n */\nexport function readEvents(\n  scanner: Pick<JsonScanner, "scan" | "restart">,\n): (bytes: Uint8Array) => void {\n  /** How many bytes of `DATA` the line has begun with. */\n  let matched = 0;\n  let afterReturn = false;\n\n  function endLine(): void {\n    if (matched =',
    242,
  ],
  [
    "Lua",
    "'peek'\n  end\n  if pass then\n    -- @include evaluate.lua\n    if role == 'd' then\n      allowed = again and reply[row] or retry_after == 0 and 1 or 0\n    end\n    reply[row], reply[row + 1], reply[row + 2], reply[row + 3] = allowed, remaining, retry_after, reset_after\n    if changes or bytes then\n      local change = 3 * policy - 2\n      changes = changes or { nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil }\n      changes[change], changes[change + 1], changes[change + 2] = bytes, place, expires\n    end\n    if not again and allowed == 0 and role ~= 'a' and role ~= 'o' then\n      denials, denier = denials + 1, denier or policy\n    end\n  end\nend\n\nfor policy = 1, changes and last or 0 do\n  local key, change = KEYS[policy], 3 * policy - 2\n  local bytes, place, expires = changes[change], changes[change + 1], changes[change + 2]\n  -- @include write.lua\nend\nreturn reply\n",
    288,
  ],
  [
    "JSON of several lines",
    '{\n  "name": "@tidegate/tidegate",\n  "version": "0.1.0",\n  "license": "MIT",\n  "exports": {\n    ".": "./src/index.ts",\n    "./express": "./src/express.ts",\n    "./express-rate-limit": "./src/express-rate-limit.ts",\n    "./better-auth": "./src/better-auth.ts",\n    "./nest-throttler": "./src/nest-throttler.ts",\n    "./rate-limiter-flexible": "./src/rate-limiter-flexible.ts",\n    "./upstash-ratelimit": "./src/upstash-ratelimit.ts",\n    "./fastify": "./src/fastify.ts",\n    "./vercel": "./src/vercel.ts",\n    "./node": "./src/node.ts",\n    "./cloudflare": "./src/cloudflare.ts",\n    "./durable-object": "./src/durable-object.ts",\n    "./llm": "./src/llm.ts",\n    "./prices": "./src/prices.ts",\n    "./',
    211,
  ],
  [
    "JSON of one line",
    '{"orders":[{"id":4100,"customer":"c_081","items":[{"sku":"T-0","count":0,"price":0}],"paid":true},{"id":4107,"customer":"c_181","items":[{"sku":"T-1","count":1,"price":3.25}],"paid":false},{"id":4114,"customer":"c_281","items":[{"sku":"T-2","count":2,"price":6.5}],"paid":true},{"id":4121,"customer":"c_381","items":[{"sku":"T-3","count":3,"price":9.75}],"paid":false},{"id":4128,"customer":"c_481","items":[{"sku":"T-4","count":4,"price":13}],"paid":true},{"id":4135,"customer":"c_581","items":[{"sku":"T-5","count":5,"price":16.25}],"paid":false},{"id":4142,"customer":"c_681","items":[{"sku":"T-6","count":6,"price":19.5}],"paid":true},{"id":4149,"customer":"c_781","items":[{"sku":"T-7","count":7,"price":22.75}],"paid":false}]}',
    281,
  ],
  [
    "German",
    "Die Gezeiten sind die periodischen Wasserbewegungen des Ozeans, die infolge der Gravitation des Mondes und der Sonne entstehen. Zweimal täglich steigt und fällt der Wasserspiegel an den Küsten, und Schifffahrtsgesellschaften richten ihre Fahrpläne danach. ",
    60,
  ],
  [
    "French",
    "Les marées sont les mouvements périodiques des eaux de l'océan, provoqués par l'attraction de la Lune et du Soleil. Deux fois par jour, le niveau de la mer monte et descend sur les côtes, et les pêcheurs organisent leur travail en conséquence. ",
    60,
  ],
  [
    "Polish",
    "Pływy to regularnie powtarzające się podnoszenie i opadanie poziomu wody w oceanie, wywołane siłami grawitacyjnymi Księżyca i Słońca. Dwa razy na dobę woda zalewa i odsłania wybrzeże. ",
    70,
  ],
  [
    "Finnish",
    "Vuorovesi on meren pinnan säännöllinen nousu ja lasku, jonka aiheuttaa kuun ja auringon vetovoima. Rannikolla vesi nousee ja laskee kahdesti vuorokaudessa. ",
    53,
  ],
  [
    "Turkish",
    "Gelgit, Ay'ın ve Güneş'in çekim kuvvetleri nedeniyle deniz seviyesinin düzenli olarak yükselip alçalmasıdır. Kıyılarda su günde iki kez yükselir ve alçalır. ",
    50,
  ],
  [
    "Vietnamese",
    "Thủy triều là hiện tượng nước biển lên xuống trong một chu kỳ thời gian phụ thuộc biến chuyển thiên văn. Mỗi ngày mực nước dâng lên hai lần ở bờ biển. ",
    41,
  ],
  [
    "Chinese",
    "潮汐是由于月球和太阳的引力作用而引起的海水周期性涨落现象。沿海地区每天有两次涨潮和两次落潮，渔民根据潮汐安排出海时间。",
    53,
  ],
  [
    "Japanese",
    "潮汐とは、月や太陽の引力によって海面が周期的に上下する現象のことである。海岸では一日に二回、満潮と干潮がくりかえされ、漁師たちはそれに合わせて働いている。",
    61,
  ],
  [
    "Korean",
    "조석은 달과 태양의 인력 때문에 바닷물이 주기적으로 오르내리는 현상이다. 해안에서는 하루에 두 번 밀물과 썰물이 반복되며 어부들은 그에 맞추어 일한다. ",
    53,
  ],
  [
    "Russian",
    "Приливы и отливы представляют собой периодические колебания уровня океана, вызванные притяжением Луны и Солнца. Дважды в сутки вода поднимается и опускается у берегов. ",
    50,
  ],
  [
    "Greek",
    "Η παλίρροια είναι η περιοδική άνοδος και πτώση της στάθμης της θάλασσας, που προκαλείται από την έλξη της Σελήνης και του Ήλιου. ",
    51,
  ],
  [
    "Arabic",
    "المد والجزر ظاهرة طبيعية تحدث بسبب جاذبية القمر والشمس، حيث يرتفع مستوى سطح البحر وينخفض مرتين في اليوم على السواحل. ",
    36,
  ],
  [
    "Hebrew",
    "גאות ושפל הם עלייה וירידה מחזורית של פני הים הנגרמת מכוח המשיכה של הירח והשמש. פעמיים ביום המים עולים ויורדים. ",
    43,
  ],
  [
    "Hindi",
    "ज्वार-भाटा समुद्र के जल स्तर का नियमित रूप से ऊपर उठना और नीचे गिरना है, जो चंद्रमा और सूर्य के गुरुत्वाकर्षण के कारण होता है। ",
    43,
  ],
  [
    "Thai",
    "น้ำขึ้นน้ำลงเป็นปรากฏการณ์ธรรมชาติที่ระดับน้ำทะเลสูงขึ้นและลดลงเป็นประจำทุกวัน เนื่องจากแรงดึงดูดของดวงจันทร์และดวงอาทิตย์ ",
    46,
  ],
  [
    "a table of numbers",
    "0,0.00,2026-11-10\n7919,31.70,2026-11-11\n15838,63.40,2026-11-12\n23757,95.10,2026-11-13\n31676,126.80,2026-11-14\n39595,158.50,2026-11-15\n47514,190.20,2026-11-16\n55433,221.90,2026-11-17\n63352,253.60,2026-11-18\n71271,285.30,2026-11-19\n79190,317.00,2026-11-20\n87109,348.70,2026-11-21\n95028,380.40,2026-11-22\n2944,412.10,2026-11-23\n10863,443.80,2026-11-24\n18782,475.50,2026-11-25\n26701,507.20,2026-11-26\n34620,538.90,2026-11-27\n42539,570.60,2026-11-28\n50458,602.30,2026-11-29\n58377,634.00,2026-11-10\n66296,665.70,2026-11-11\n74215,697.40,2026-11-12\n82134,729.10,2026-11-13\n90053,760.80,2026-11-14\n97972,792.50,2026-11-15\n5888,824.20,2026-11-16\n13807,855.90,2026-11-17\n21726,887.60,2026-11-18\n29645,919.30,202",
    413,
  ],
  [
    "identifiers",
    "cfcd2084-95d5-65ef-66e7-dff9f98764da\nc4ca4238-a0b9-2382-0dcc-509a6f75849b\nc81e728d-9d4c-2f63-6f06-7f89cc14862c\neccbc87e-4b5c-e2fe-2830-8fd9f2a7baf3\na87ff679-a2f3-e71d-9181-a67b7542122c\ne4da3b7f-bbce-2345-d777-2b0674a318d5\n1679091c-5a88-0faf-6fb5-e6087eb1b2dc\n8f14e45f-ceea-167a-5a36-dedd4bea2543\nc9f0f895-fb98-ab91-59f5-1fd0297e236d\n45c48cce-2e2d-7fbd-ea1a-fc51c7c6ad26\nd3d94468-02a4-4259-755d-38e6d163e820\n6512bd43-d9ca-a6e0-2c99-0b0a82652dca\nc20ad4d7-6fe9-7759-aa27-a0c99bff6710\nc51ce410-c124-a10e-",
    329,
  ],
  [
    "base64",
    "H0D8ktokFpR1CXnubPWC8tXX0o4YM13gWrxU0FYOD1MChgxlK/CNVgJSql50IQVG82n7u86MEs/HlXsmUv6adQ==oAFHsKIFJ6CFMhjnFHG+CNJnazFHfC7TZT+GjbyEuSudGLjxEdytUJSF3UJr9ebTu66fjZUAkWuX7Fq9bFXINxIQytPg/1zfg80XdSPcMhAutip4xCUSHJA9MYTfVFsGt9E8yw0fJ2yyE3dDBbQrWrNSrjkKOnxan8X6W7ZEMSOnjr9NdIp/IrHD83L9T+79xmVmUP7ps1wT7FtyHfRi3IlBf9pRlmrQFcnaYxR7uKF1iiOd76ysNZSUOaVBlNDvWSMOIS9yv6KMmAP0Av6pkuPI1Act7uhPaf7d7VkCLQe2K3V9RoebkuDKN565RkOw/RSH0lsc9AajJlNoHtUUemmtkQRjCwk3hcZkY+Ihdnggtb9iartqXwALQHxv6Opag0BrIyaBRxH8ik0pweX9PXbzM5+CqJVcxDd08TgUVyDDyZvMGPq51+EXaSp7Q9/GuWOw7Sir+U9+CQgFwo0h4X21ILQfRh4kuhjSVsCL1cbxvoSubZKVVJj1RcSCR4Ma",
    397,
  ],
  [
    "hexadecimal digits",
    "d2f5c387b581e1731be1eee7baa2daffa98a1124f815b608b742d6407074a64efd158de5022e3db31c9be464734ba3d4a6ddab472f2a5dd56f5bb7c1cde1845d8d51d653447eac07048792af0b4f9190cb5f4e26d14fc3263e9ede1df90f4a229c814f5670b15ea621e1bc962d3b0265a930a24f9ca06eaa9ec1ff5d388bebd09409a4fe3d7b200f862987d31bb941877fec700d2852b26506d21a7ec071613e282dd56bda8cf3b2f8c7c5e33c631723be1666b8b1e7ee54d83c37407300ddd992032e136123fe31bdc6e725738c740d08c083b8f14fbb6af985a1ceba8de30749dc4dd49db12fd2be7e04c9ac042f0e408ecdc83cccb9a3a5d1",
    292,
  ],
  ["emoji", "🦀🌊🎉👍🏽👨‍👩‍👧 hi 😀😃 ok ✅ 🚀 🦀🌊🎉👍", 34],
  [
    "addresses",
    "https://api.example.com/v1/customers/0/orders?limit=20&cursor=eyJpZCI60#top https://api.example.com/v1/customers/1/orders?limit=20&cursor=eyJpZCI61#top https://api.example.com/v1/customers/2/orders?limit=20&cursor=eyJpZCI62#top https://api.example.com/v1/customers/3/orders?limit=20&cursor=eyJpZCI63#top https://api.example.com/v1/customers/4/orders?limit=20&cursor=eyJpZCI64#top https://api.example.com/v1/customers/5/orders?limit=20&cursor=eyJpZCI65#top https://api.example.com/v1/customers/6/orders?limit=20&cursor=eyJpZCI66#top https://api.example.com/v1/customers/7/orders?limit=20&cursor=eyJpZC",
    213,
  ],
  [
    "Markdown",
    "| name | value |\n| --- | --- |\n| **a** | `b` |\n- [x] done\n\n> quote\n| name | value |\n| --- | --- |\n| **a** | `b` |\n- [x] done\n\n> quote\n| name | value |\n| --- | --- |\n| **a** | `b` |\n- [x] done\n\n> quote\n| name | value |\n| --- | --- |\n| **a** | `b` |\n- [x] done\n\n> quote\n| name | value |\n| --- | --- |\n| **a** | `b` |\n- [x] done\n\n> quote\n",
    140,
  ],
  [
    "formulas",
    "∑_{i=1}^{n} x_i² ≤ √(π·σ²) ∀ x ∈ ℝ, \\frac{a}{b} = \\int_0^1 f(x)\\,dx ∑_{i=1}^{n} x_i² ≤ √(π·σ²) ∀ x ∈ ℝ, \\frac{a}{b} = \\int_0^1 f(x)\\,dx ∑_{i=1}^{n} x_i² ≤ √(π·σ²) ∀ x ∈ ℝ, \\frac{a}{b} = \\int_0^1 f(x)\\,dx ∑_{i=1}^{n} x_i² ≤ √(π·σ²) ∀ x ∈ ℝ, \\frac{a}{b} = \\int_0^1 f(x)\\,dx ∑_{i=1}^{n} x_i² ≤ √(π·σ²) ∀ x ∈ ℝ, \\frac{a}{b} = \\int_0^1 f(x)\\,dx ",
    236,
  ],
  [
    "capitals",
    "THE TIDE TABLES OF THE NORTH SEA ARE PUBLISHED EACH YEAR IN LARGE LETTERS. THE TIDE TABLES OF THE NORTH SEA ARE PUBLISHED EACH YEAR IN LARGE LETTERS. THE TIDE TABLES OF THE NORTH SEA ARE PUBLISHED EACH YEAR IN LARGE LETTERS. THE TIDE TABLES OF THE NORTH SEA ARE PUBLISHED EACH YEAR IN LARGE LETTERS. ",
    77,
  ],
];
