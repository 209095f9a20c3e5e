namespace Ioxide.Pg;

/// <summary>The result of a script: the rows of its last statement that returned any, as text, and the tag of its last statement.</summary>
/// <param name="Tag">The tag of the last statement.</param>
/// <param name="Rows">The rows as text; null is NULL.</param>
public sealed record PgScriptResult(PgTag Tag, IReadOnlyList<string?[]> Rows);
