#if JPEG2000
internal import Raster

/// The channels of an image: which component or palette column each colour and alpha come from.
struct JPEG2000Channels: Sendable {
    /// The meaning of the colour channels.
    enum ColorSpace: Sendable {
        case gray
        case rgb
        /// Y, Cb and Cr as in ITU-R BT.601, with Cb and Cr around half the range.
        case ycc
        /// The same with the matrix of e-sYCC (IEC 61966-2-1, annex G).
        case wideYCC
        case cmyk

        /// The space with this number in a `colr` box; nil for one that isn't read.
        init?(enumerated number: Int) {
            switch number {
            case 16: self = .rgb
            case 0, 15, 17: self = .gray
            case 1, 18: self = .ycc
            case 24: self = .wideYCC
            case 12: self = .cmyk
            default: return nil
            }
        }

        var channelCount: Int {
            switch self {
            case .gray: 1
            case .rgb, .ycc, .wideYCC: 3
            case .cmyk: 4
            }
        }
    }

    /// The source of a channel's values.
    struct Channel: Sendable {
        var component: Int
        /// The values that the component's samples select, of `bits` bits; nil if the samples are the values.
        var values: [Int]?
        var bits: Int
    }

    let space: ColorSpace
    let colors: [Channel]
    let alpha: Channel?
    /// Whether colours are multiplied by alpha.
    let isPremultiplied: Bool
    let profile: ColorProfile

    /// Finds the channels of an image with `components`.
    /// - Throws: `corrupt` if a box refers to a component or a column that doesn't exist.
    init(_ container: JPEG2000Container, _ components: [JPEG2000Grid.Component]) throws(ImageError) {
        let channels = try Self.channels(container, components)
        var profile: [UInt8]?
        if case .profile(let bytes) = container.color { profile = bytes }
        let space = Self.space(container.color, count: channels.count)
        let count = space.channelCount
        var order: [Int?] = Array(0..<count)
        var alpha = channels.count == count + 1 && space != .cmyk ? count : nil
        var isPremultiplied = false
        if !container.definitions.isEmpty {
            order = (1...count).map { color in
                container.definitions.first { $0.kind == 0 && $0.association == color }?.channel
            }
            // Definitions without associations leave the order.
            if order.allSatisfy({ $0 == nil }) { order = Array(0..<count) }
            let definition = container.definitions.first { $0.kind == 1 || $0.kind == 2 }
            alpha = definition?.channel
            isPremultiplied = definition?.kind == 2
        }
        var colors: [Channel] = []
        for index in order {
            guard let index, channels.indices.contains(index) else {
                throw ImageError(.corrupt, "the JPEG 2000 file's channel definitions lack a colour")
            }
            colors.append(channels[index])
        }
        self.space = space
        self.colors = colors
        self.alpha = alpha.flatMap { channels.indices.contains($0) ? channels[$0] : nil }
        self.isPremultiplied = isPremultiplied && self.alpha != nil
        let model: ImageHeader.ColorModel = space == .gray ? .gray : space == .cmyk ? .cmyk : .rgb
        self.profile = profile.flatMap { $0.isICCProfile(for: model) ? .icc($0) : nil } ?? .sRGB
    }

    /// Applies the palette: components become channels.
    private static func channels(
        _ container: JPEG2000Container, _ components: [JPEG2000Grid.Component]
    ) throws(ImageError) -> [Channel] {
        guard let palette = container.palette else {
            return components.enumerated().map { Channel(component: $0.offset, values: nil, bits: $0.element.bits) }
        }
        let columns = palette.columns.indices
        let mappings =
            container.mappings.isEmpty
            ? columns.map { JPEG2000Container.Mapping(component: 0, column: $0) } : container.mappings
        var channels: [Channel] = []
        for mapping in mappings {
            guard components.indices.contains(mapping.component), mapping.column.map(columns.contains) ?? true else {
                throw ImageError(.corrupt, "the JPEG 2000 file's palette has no such component or column")
            }
            if let column = mapping.column.map({ palette.columns[$0] }) {
                // Index samples have at most the ten bits of the longest palette that is allowed, or are limited to it.
                channels.append(Channel(component: mapping.component, values: column.values, bits: column.bits))
            } else {
                let bits = components[mapping.component].bits
                channels.append(Channel(component: mapping.component, values: nil, bits: bits))
            }
        }
        return channels
    }

    /// The space of `count` channels; by their number if the file's has more.
    private static func space(_ color: JPEG2000Container.Color?, count: Int) -> ColorSpace {
        var space: ColorSpace?
        switch color {
        case .enumerated(let number): space = ColorSpace(enumerated: number)
        case .profile(let bytes):
            space =
                bytes.isICCProfile(for: .gray)
                ? .gray : bytes.isICCProfile(for: .rgb) ? .rgb : bytes.isICCProfile(for: .cmyk) ? .cmyk : nil
        case nil: break
        }
        if let space, space.channelCount <= count { return space }
        return count < 3 ? .gray : .rgb
    }

    var hasPalette: Bool { colors.contains { $0.values != nil } }

    /// The most bits of a colour.
    var bits: Int { colors.reduce(1) { max($0, $1.bits) } }

    var colorModel: ImageHeader.ColorModel {
        switch space {
        case .gray: hasPalette ? .indexed : .gray
        case .rgb, .ycc, .wideYCC: hasPalette ? .indexed : .rgb
        case .cmyk: .cmyk
        }
    }

    /// The format of delivered rows.
    func pixelFormat(maximumBits: Int) -> PixelFormat {
        let isDeep = maximumBits > 8 && bits > 8 && space != .cmyk
        if space == .gray, alpha == nil { return isDeep ? .gray16 : .gray8 }
        return isDeep ? .rgba16 : .rgba8
    }
}
#endif
