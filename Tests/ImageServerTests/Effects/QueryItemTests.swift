import Foundation
import ImageEffects
import ImageServer
import Testing

/// What pages are told of a query's items.
@Suite("Descriptions of query items")
struct QueryItemTests {
    @Test("Every query item is described to web pages")
    func describesItemsToPages() throws {
        let top = try #require(try JSONSerialization.jsonObject(with: Data(EffectTable.json.utf8)) as? [String: [Any]])
        let effects = try #require(top["effects"] as? [[String: Any]])
        #expect(
            effects.compactMap { $0["name"] as? String } == EffectTable.definitions.filter(\.isForAddresses).map(\.name)
        )
        // Drawing text starts processes, which nobody may do from outside.
        #expect(throws: (any Error).self) { try EffectQuery([("text", "Caption")]) }
        let settings = try #require(top["settings"] as? [[String: Any]])
        #expect(settings.compactMap { $0["name"] as? String } == ["w", "h", "fit", "dpr", "format", "q", "hdr"])
        for item in effects + settings {
            #expect(item["title"] as? String != "" && item["description"] is String && item["example"] is String)
            for parameter in try #require(item["parameters"] as? [[String: Any]]) {
                let kind = try #require(parameter["kind"] as? String)
                #expect(["number", "size", "color", "choice", "identifier"].contains(kind))
                if kind == "number" {
                    let step = try #require(parameter["step"] as? Double)
                    let least = try #require(parameter["minimum"] as? Double)
                    let most = try #require(parameter["maximum"] as? Double)
                    #expect(least < most && step > 0)
                }
                if kind == "choice" { #expect((parameter["choices"] as? [String])?.isEmpty == false) }
                if item["name"] as? String == "shadow", kind == "color" {
                    #expect(parameter["default"] as? String == "#000000" && parameter["required"] as? Bool == false)
                }
            }
        }
    }

    @Test("Every query item has a valid example", arguments: QueryItem.settings + QueryItem.effects)
    func hasAnExampleThatCanBeAskedFor(_ item: QueryItem) throws {
        var items = [(item.name, item.example)]
        // The mode is one for sides.
        if item.example == "fill" { items += [("w", "40"), ("h", "30")] }
        #expect(try !EffectQuery(items).canonical.isEmpty)
        #expect(!item.usage.contains("#") && !item.usage.contains("file"))
    }
}
