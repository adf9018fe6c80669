/// What is wrong with an entry's file.
package struct DataCacheDamage: Error, Hashable, Sendable {
    /// At which of the file's bytes it was found.
    package let offset: Int
    /// What it is, for people.
    package let message: String
}
