/// How far the building of a pyramid has come.
public struct PyramidProgress: Hashable, Sendable {
    /// Rows of the stored picture that were decoded.
    public var rowCount: Int
    /// How many rows there are.
    public var totalRowCount: Int
    /// Tiles that are in the sink, those of an interrupted run included.
    public var tileCount: Int
    /// How many tiles there will be.
    public var totalTileCount: Int

    /// Progress of these counts.
    public init(rowCount: Int, totalRowCount: Int, tileCount: Int, totalTileCount: Int) {
        self.rowCount = rowCount
        self.totalRowCount = totalRowCount
        self.tileCount = tileCount
        self.totalTileCount = totalTileCount
    }
}
