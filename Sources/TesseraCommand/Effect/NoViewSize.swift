internal import ArgumentParser
internal import ImageEffects

/// Nothing: a command has an option of that name for something else, or none.
struct NoViewSize: ViewSize {
    var effects: [WrittenEffect] { [] }
}
