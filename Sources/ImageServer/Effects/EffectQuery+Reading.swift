internal import ImageEffects
internal import Raster

extension EffectQuery {
    /// The range of a result's width and height in a query.
    static let sides = 1.0...65535
    /// The range of `dpr`, in pixels per unit of length.
    static let densities = 0.1...10

    /// Parses a query's decoded items.
    /// - Throws: 400 with a message that names valid input.
    package init(
        _ items: some Sequence<(name: String, value: String)>, limits: EffectLimits = .standard
    ) throws(RequestFailure) {
        var reading = Reading()
        for item in items { try reading.take(item.name, item.value) }
        try self.init(reading, limits)
    }

    /// Parses a query.
    /// - Throws: 400 with a message that names valid input; 414 if the canonical form is longer than a query may be,
    ///   since each byte that isn't ASCII becomes three.
    package init(_ query: URLQuery, limits: EffectLimits = .standard) throws(RequestFailure) {
        try self.init(query.items, limits: limits)
        guard canonical.utf8.count <= URLLimits.queryByteCount else {
            throw RequestFailure(414, "the query is longer than \(URLLimits.queryByteCount) bytes once it is encoded")
        }
    }

    private init(_ reading: Reading, _ limits: EffectLimits) throws(RequestFailure) {
        var effects = reading.effects
        var side: Side?
        var sizes = effects.filter { $0.definition.isSizing }.map(\.definition.name)
        if reading.hasSides || reading.fit != nil { sizes.append(reading.hasSides ? "w and h" : "fit") }
        if let (name, values) = try reading.sizing(&side), let definition = EffectTable[name] {
            effects.append(try Reading.effect(definition, values))
        }
        guard sizes.count <= 1 else {
            throw RequestFailure(400, "\(sizes[0]) and \(sizes[1]) both set a size; write one of them")
        }
        guard effects.count <= limits.maximumEffectCount else {
            throw RequestFailure(400, "there are \(effects.count) effects; \(limits.maximumEffectCount) are allowed")
        }
        let pictureCount = effects.count { $0.picture != nil }
        guard pictureCount <= limits.maximumPictureCount else {
            throw RequestFailure(
                400, "there are \(pictureCount) masks and overlays; \(limits.maximumPictureCount) are allowed")
        }
        self.init(
            effects: EffectTable.ordered(effects), side: side, format: reading.format ?? .original,
            quality: reading.quality,
            dpr: reading.dpr ?? 1, isHighRange: reading.isHighRange)
    }

    /// The items read so far.
    private struct Reading {
        var effects: [EffectCall] = []
        var width: Double?
        var height: Double?
        /// `fit`: a mode if there is `w` or `h`, else a size.
        var fit: String?
        var format: OutputFormatChoice?
        var quality: Double?
        var dpr: Double?
        var isHighRange: Bool?

        var hasSides: Bool { width != nil || height != nil }

        mutating func take(_ name: String, _ value: String) throws(RequestFailure) {
            switch name {
            case "sig", "kid", "expires": break
            case "w": try set(&width, Self.number(name, value, EffectQuery.sides), name)
            case "h": try set(&height, Self.number(name, value, EffectQuery.sides), name)
            case "fit": try set(&fit, value, name)
            case "dpr": try set(&dpr, Self.number(name, value, EffectQuery.densities), name)
            case "q": try set(&quality, Self.number(name, value, 0...1), name)
            case "hdr":
                guard value == "0" || value == "1" else {
                    throw RequestFailure(400, "hdr is on or off; write hdr=1 or hdr=0")
                }
                try set(&isHighRange, value == "1", name)
            case "format":
                guard let choice = OutputFormatChoice(word: value) else {
                    throw RequestFailure(
                        400,
                        "format: there is no \(value.quotedForPeople); there is \(OutputFormatChoice.words.joined(separator: ", "))"
                    )
                }
                try set(&format, choice, name)
            default:
                guard let definition = EffectTable[name], definition.isForAddresses else {
                    let names = (QueryItem.settings + QueryItem.effects).map(\.name)
                    throw RequestFailure(
                        400,
                        "there is no \(name.quotedForPeople); there is \(names.filter { $0 != "fit" }.joined(separator: ", ")) and fit"
                    )
                }
                guard definition.isRepeatable || !effects.contains(where: { $0.definition.name == name }) else {
                    throw Self.repeated(name)
                }
                guard let effect = try Self.effectOrFlag(definition, value) else { return }
                effects.append(effect)
            }
        }

        private func set<Value>(_ place: inout Value?, _ value: Value, _ name: String) throws(RequestFailure) {
            guard place == nil else { throw Self.repeated(name) }
            place = value
        }

        private static func repeated(_ name: String) -> RequestFailure {
            RequestFailure(400, "\(name) is there twice")
        }

        static func number(
            _ name: String, _ value: String, _ range: ClosedRange<Double>
        ) throws(RequestFailure) -> Double {
            let text = range.textForPeople
            guard let number = Double(value) else {
                throw RequestFailure(400, "\(name): \(value.quotedForPeople) is no number; write one from \(text)")
            }
            guard range.contains(number) else {
                throw RequestFailure(400, "\(name) is a number from \(text), not \(EffectValue.number(number).text)")
            }
            return number
        }

        /// Parses an effect; nil for one without parameters that is switched off.
        private static func effectOrFlag(
            _ definition: EffectDefinition, _ value: String
        ) throws(RequestFailure) -> EffectCall? {
            guard definition.parameters.isEmpty else { return try effect(definition, value) }
            switch value.lowercased() {
            case "", "1", "true": return try effect(definition, "")
            case "0", "false": return nil
            default:
                throw RequestFailure(
                    400, "\(definition.name) is on or off; write \(definition.name)=1 or \(definition.name)=0")
            }
        }

        static func effect(_ definition: EffectDefinition, _ value: String) throws(RequestFailure) -> EffectCall {
            guard let effect = try? definition.read(value) else {
                let sensible = "\(definition.name)=\(definition.example)"
                throw RequestFailure(
                    400, "\(definition.name): \(value.quotedForPeople) makes no sense; write \(sensible)")
            }
            if let parameter = effect.parameterBeyondRange {
                throw RequestFailure(400, "\(definition.name): \(parameter.name) is \(parameter.rangeForPeople)")
            }
            return effect
        }

        /// The size that `w`, `h` and `fit` select: an effect, or one side, which is stored in `side`.
        func sizing(_ side: inout Side?) throws(RequestFailure) -> (name: String, values: String)? {
            guard hasSides else { return fit.map { ("fit", $0) } }
            let word = fit?.lowercased() ?? SizingMode.fit.rawValue
            guard let mode = SizingMode(rawValue: word) else {
                let modes = SizingMode.allCases.map(\.rawValue).joined(separator: ", ")
                throw RequestFailure(400, "fit: there is no \(word.quotedForPeople) beside w and h; there is \(modes)")
            }
            if let width, let height {
                return mode.effect(EffectValue.size(width: width, height: height).text)
            }
            guard mode == .fit else { throw RequestFailure(400, "fit=\(mode.rawValue) needs both w and h") }
            side = width.map { .width($0) } ?? height.map { .height($0) }
            return nil
        }
    }
}

extension EffectParameter {
    /// The valid values, for an error message.
    fileprivate var rangeForPeople: String {
        switch kind {
        case .number(let range, _): "a number from \(range.textForPeople)"
        case .size(let range): "a width and a height from \(range.textForPeople) each"
        case .color: "a colour"
        case .word(let words): "one of \(words.joined(separator: ", "))"
        case .picture: "an image's identifier"
        case .text: "a text"
        }
    }
}

extension ClosedRange<Double> {
    /// The bounds for a message: `0 to 1`.
    fileprivate var textForPeople: String {
        "\(EffectValue.number(lowerBound).text) to \(EffectValue.number(upperBound).text)"
    }
}

/// The ways to give an image the width and height of a query.
enum SizingMode: String, CaseIterable {
    case fit
    case fill
    case cover
    case scale
    case smartCrop = "smart-crop"
    case pad

    /// The equivalent effect: its name and its parameters for a size.
    func effect(_ size: String) -> (name: String, values: String) {
        self == .pad ? ("size", "\(size),pad") : (rawValue, size)
    }
}
