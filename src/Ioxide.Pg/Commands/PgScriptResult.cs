namespace Ioxide.Pg;

/// <summary>What a script returned: the rows of its last statement that returned any, as text, and the tag of its last statement.</summary>
/// <param name="Tag">Of the last statement.</param>
/// <param name="Rows">Null is NULL.</param>
public sealed record PgScriptResult(PgTag Tag, IReadOnlyList<string?[]> Rows);
