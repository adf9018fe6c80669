/// Documents that are drawn for ever or grow without end. What the worker takes isn't this process's; what it delivers is.
enum SVGBombs {
    private static func svg(_ content: String, _ attributes: String = #"width="40" height="30""#) -> [UInt8] {
        Array(#"<svg xmlns="http://www.w3.org/2000/svg" \#(attributes)>\#(content)</svg>"#.utf8)
    }

    private static func used(_ levels: Int) -> String {
        let groups = (1...levels).map { level in
            let use = ##"<use href="#g\##(level - 1)"/>"##
            return #"<g id="g\#(level)">\#(String(repeating: use, count: 10))</g>"#
        }
        return
            ##"<defs><g id="g0"><rect width="40" height="30"/></g>\##(groups.joined())</defs><use href="#g\##(levels)"/>"##
    }

    private static let refusals = [Bomb.limit, Bomb.corrupt, Bomb.unsupported, Bomb.truncated, Bomb.unknown]
    private static let ways = ["whole"]

    static let all: [Bomb] = [
        Bomb("SVG, 2^31 on a side", refusals, by: ways) { svg("", #"width="2147483648" height="2147483648""#) },
        Bomb("SVG, 1e300 on a side", refusals, by: ways) { svg("", #"width="1e300" height="1e300""#) },
        Bomb("SVG, 40,000 on a side", refusals, by: ways) { svg("", #"width="40000" height="40000""#) },
        Bomb("SVG, entities of entities", refusals, by: ways) {
            let entities = (1...12).map { level in
                "<!ENTITY e\(level) \"\(String(repeating: "&e\(level - 1);", count: 10))\">"
            }
            let document = svg("<text>&e12;</text>")
            return Array("<!DOCTYPE svg [<!ENTITY e0 \"lol\">\(entities.joined())]>".utf8) + document
        },
        Bomb("SVG, a group used ten times in each of ten", refusals, by: ways) { svg(used(10)) },
        Bomb("SVG, a hundred thousand groups in each other", refusals, by: ways) {
            svg(String(repeating: "<g>", count: 100_000) + String(repeating: "</g>", count: 100_000))
        },
        Bomb("SVG, 64 MB in a gzip file of 64 KB", refusals, by: ways) {
            // What zlib packed, with gzip's head instead of its own.
            [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3] + Bytes.packedZeros(64 << 20).dropFirst(2).dropLast(4) + Bytes.zeros(8)
        },
        Bomb("SVG, a pattern that refers to itself", [], by: ways) {
            svg(
                ##"<pattern id="p" width="9" height="9"><rect width="9" height="9" fill="url(#p)"/></pattern><rect width="40" height="30" fill="url(#p)"/>"##
            )
        },
        Bomb("SVG, a group that uses itself", [], by: ways) { svg(##"<g id="a"><use href="#a"/></g>"##) },
    ]
}
