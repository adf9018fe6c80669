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
        /// CIE L*a*b*, stored as `lab` describes.
        case lab

        /// The space with this number in a `colr` box; nil for one that isn't read.
        init?(enumerated number: Int) {
            switch number {
            case 16: self = .rgb
            case 0, 15, 17: self = .gray
            case 1, 18: self = .ycc
            case 24: self = .wideYCC
            case 12: self = .cmyk
            case 14: self = .lab
            default: return nil
            }
        }

        var channelCount: Int {
            switch self {
            case .gray: 1
            case .rgb, .ycc, .wideYCC, .lab: 3
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
    /// The form of L*a*b*.
    let lab: JPEG2000Lab

    /// Finds the channels of an image with `components`.
    /// - Throws: `corrupt` if a box refers to a component or a column that doesn't exist.
    init(_ container: JPEG2000Container, _ components: [JPEG2000Grid.Component]) throws(ImageError) {
        let channels = try Self.channels(container, components)
        var profile: [UInt8]?
        if case .profile(let bytes) = container.color { profile = bytes }
        let space = Self.space(container.color, count: channels.count) ?? Self.undeclaredSpace(channels, components)
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
        lab = container.lab
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

    /// The file's space; nil without one, or if it has more than `count` channels.
    private static func space(_ color: JPEG2000Container.Color?, count: Int) -> ColorSpace? {
        var space: ColorSpace?
        switch color {
        case .enumerated(let number): space = ColorSpace(enumerated: number)
        case .profile(let bytes):
            space =
                bytes.isICCProfile(for: .gray)
                ? .gray : bytes.isICCProfile(for: .rgb) ? .rgb : bytes.isICCProfile(for: .cmyk) ? .cmyk : nil
        case nil: break
        }
        return space.flatMap { $0.channelCount <= count ? $0 : nil }
    }

    /// The space of channels without a declared one: grey or RGB by their number, or YCbCr if the second and third of three are
    /// sampled more sparsely than the first, which is common in codestreams from video.
    private static func undeclaredSpace(_ channels: [Channel], _ components: [JPEG2000Grid.Component]) -> ColorSpace {
        guard channels.count >= 3 else { return .gray }
        guard channels.count == 3, channels.allSatisfy({ $0.values == nil }) else { return .rgb }
        let parts = channels.map { components[$0.component] }
        let isSparse = parts[1].dx * parts[1].dy > parts[0].dx * parts[0].dy
        return isSparse && parts[1].dx == parts[2].dx && parts[1].dy == parts[2].dy ? .ycc : .rgb
    }

    var hasPalette: Bool { colors.contains { $0.values != nil } }

    /// The most bits of a colour.
    var bits: Int { colors.reduce(1) { max($0, $1.bits) } }

    var colorModel: ImageHeader.ColorModel {
        switch space {
        case .gray: hasPalette ? .indexed : .gray
        case .rgb, .ycc, .wideYCC, .lab: hasPalette ? .indexed : .rgb
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
