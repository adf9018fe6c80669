internal import ArgumentParser
internal import ImagePyramid

extension TileAddress {
    /// An address as people write it: `2/5,7`.
    static func parse(_ argument: String) throws -> TileAddress {
        let parts = argument.split(separator: "/", omittingEmptySubsequences: false)
        let place = parts.last?.split(separator: ",", omittingEmptySubsequences: false) ?? []
        guard parts.count == 2, place.count == 2, let level = Int(parts[0]), let column = Int(place[0]),
            let row = Int(place[1])
        else { throw ValidationError("write a tile as level, column and row: 2/5,7") }
        return TileAddress(level: level, column: column, row: row)
    }
}
