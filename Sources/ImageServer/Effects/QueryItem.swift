package import ImageEffects
internal import ImageFormats
internal import Raster

/// An item of the query of `/image/ID`, as the documentation and the viewer show it.
package struct QueryItem: Sendable {
    /// The item's name in the query.
    package let name: String
    /// A heading for people.
    package let title: String
    /// A description in one sentence.
    package let sentence: String
    /// The form of its value, by the names of its parts; empty for an item without value.
    package let usage: String
    /// The parts of its value.
    package let parameters: [EffectParameter]
    /// An example of its value.
    package let example: String

    /// `name=example`, or the name alone.
    package var exampleItem: String { example.isEmpty ? name : "\(name)=\(example)" }

    /// The items that aren't effects: size, format and quality.
    package static let settings: [QueryItem] = [
        QueryItem(side: "w", "Width", "The width to scale to. Alone, the height goes with it."),
        QueryItem(side: "h", "Height", "The height to scale to. Alone, the width goes with it."),
        QueryItem(
            name: "fit", title: "Fit",
            sentence:
                "With w and h: how the picture gets that size. fit scales to fit within it, fill fills it and cuts off "
                + "what is more, cover covers it and keeps what is more, scale stretches, smart-crop cuts out where most is to "
                + "be seen, pad fits and fills up with transparency.",
            usage: "mode",
            parameters: [
                EffectParameter("mode", .word(SizingMode.allCases.map(\.rawValue)), .optional, standard: .word("fit"))
            ],
            example: "fill"),
        QueryItem(
            number: "dpr", "Pixel density",
            "Pixels to a unit of length: all lengths but those of crop are multiplied by it.",
            EffectQuery.densities, step: 0.5, standard: 1, example: "2"),
        QueryItem(
            name: "format", title: "Format",
            sentence:
                "The format of the result: auto for the best that the browser accepts. Without it the picture's own, "
                + "where browsers show that.",
            usage: "format",
            parameters: [EffectParameter("format", .word(OutputFormatChoice.words), .optional)], example: "auto"),
        QueryItem(
            number: "q", "Quality", "How much of the picture is kept by a format that loses some, 0 to 1.", 0...1,
            step: 0.01, standard: 0.8, example: "0.8"),
        QueryItem(
            name: "hdr", title: "High dynamic range",
            sentence:
                "1 for a picture that is brighter than white on displays of high dynamic range, if it has a gain map: as a "
                + "JPEG with the map, or an AVIF, PNG or JPEG XL in PQ. 0 for none. Without it formats that can hold a map keep it.",
            usage: "0 or 1", parameters: [EffectParameter("on", .word(["0", "1"]), .optional)], example: "1"),
    ]

    /// Every effect, in the order of application.
    package static let effects: [QueryItem] = EffectTable.definitions.filter(\.isForAddresses).map { definition in
        QueryItem(
            name: definition.name, title: definition.title, sentence: definition.sentence,
            usage: definition.usage.replacing("file", with: "ID").replacing("#", with: ""),
            parameters: definition.parameters,
            example: definition.example)
    }
}

extension QueryItem {
    private init(side name: String, _ title: String, _ sentence: String) {
        self.init(
            name: name, title: title, sentence: sentence, usage: "length",
            parameters: [.number(name, EffectQuery.sides, step: 1, .optional)], example: "400")
    }

    private init(
        number name: String, _ title: String, _ sentence: String, _ range: ClosedRange<Double>, step: Double,
        standard: Double, example: String
    ) {
        self.init(
            name: name, title: title, sentence: sentence, usage: "number",
            parameters: [.number(name, range, step: step, standard: standard, .optional)], example: example)
    }
}

extension EffectTable {
    /// All items as JSON, for pages with a slider for each: `settings` has those that aren't effects, `effects` the
    /// rest in the order of application.
    package static let json = JSONValue.object([
        ("settings", .array(QueryItem.settings.map(\.json))), ("effects", .array(QueryItem.effects.map(\.json))),
    ]).compactText
}

extension QueryItem {
    fileprivate var json: JSONValue {
        .object([
            ("name", .string(name)), ("title", .string(title)), ("description", .string(sentence)),
            ("usage", .string(usage)), ("parameters", .array(parameters.map(\.json))),
            ("example", .string(exampleItem)),
        ])
    }
}

extension EffectParameter {
    /// The parameter as JSON. If it is `required`, all parameters before it must be present too.
    fileprivate var json: JSONValue {
        var members: [(String, JSONValue)] = [("name", .string(name))]
        func range(_ range: ClosedRange<Double>) -> [(String, JSONValue)] {
            [("minimum", JSONValue(range.lowerBound)), ("maximum", JSONValue(range.upperBound))]
        }
        switch kind {
        case .number(let bounds, let step):
            members += [("kind", .string("number"))] + range(bounds) + [("step", JSONValue(step))]
        case .size(let bounds): members += [("kind", .string("size"))] + range(bounds)
        case .color: members.append(("kind", .string("color")))
        case .picture: members.append(("kind", .string("identifier")))
        case .text: members.append(("kind", .string("text")))
        case .word(let words):
            members += [("kind", .string("choice")), ("choices", .array(words.map { .string($0) }))]
        }
        members.append(("required", .boolean(presence == .required)))
        switch standard {
        case .number(let number): members.append(("default", JSONValue(number)))
        case .color(let color): members.append(("default", .string(color.hex)))
        case let value?: members.append(("default", .string(value.text)))
        case nil: break
        }
        return .object(members)
    }
}
