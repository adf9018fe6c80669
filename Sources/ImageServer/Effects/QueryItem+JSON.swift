package import ImageEffects
internal import Raster

extension EffectTable {
    /// All items of a query as JSON, for pages that show a slider for each: `settings` for what isn't an effect, and `effects`
    /// in the order in which they are applied.
    package static let json =
        "{\"settings\":[\(QueryItem.settings.map(\.json).joined(separator: ","))],"
        + "\"effects\":[\(QueryItem.effects.map(\.json).joined(separator: ","))]}"
}

extension QueryItem {
    fileprivate var json: String {
        let parameters = parameters.map(Self.json).joined(separator: ",")
        return "{\"name\":\(Self.json(name)),\"title\":\(Self.json(title)),\"description\":\(Self.json(sentence)),"
            + "\"usage\":\(Self.json(usage)),\"parameters\":[\(parameters)],\"example\":\(Self.json(exampleItem))}"
    }

    /// A parameter. `required` where it can't be left out; what stands before it has to be there too.
    private static func json(_ parameter: EffectParameter) -> String {
        var members = ["\"name\":\(json(parameter.name))"]
        func range(_ range: ClosedRange<Double>) {
            members.append("\"minimum\":\(WrittenValue.number(range.lowerBound).text)")
            members.append("\"maximum\":\(WrittenValue.number(range.upperBound).text)")
        }
        switch parameter.kind {
        case .number(let bounds, let step):
            members.append("\"kind\":\"number\"")
            range(bounds)
            members.append("\"step\":\(WrittenValue.number(step).text)")
        case .size(let bounds):
            members.append("\"kind\":\"size\"")
            range(bounds)
        case .color: members.append("\"kind\":\"color\"")
        case .picture: members.append("\"kind\":\"identifier\"")
        case .word(let words):
            members.append("\"kind\":\"choice\",\"choices\":[\(words.map(json).joined(separator: ","))]")
        }
        members.append("\"required\":\(parameter.presence == .required)")
        switch parameter.standard {
        case .number(let number): members.append("\"default\":\(WrittenValue.number(number).text)")
        case .color(let color): members.append("\"default\":\(json(color.hex))")
        case let value?: members.append("\"default\":\(json(value.text))")
        case nil: break
        }
        return "{\(members.joined(separator: ","))}"
    }

    /// A text in quotation marks. The tables have no control characters.
    private static func json(_ text: String) -> String {
        "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
    }
}
