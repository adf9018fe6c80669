/// Sizes that find loops which end badly: a pixel, a row, a column, widths around those of vectors.
let awkwardSizes: [(Int, Int)] = [(1, 1), (1, 9), (17, 1), (3, 2), (4, 5), (7, 3), (13, 4), (31, 2), (66, 3)]
