namespace Ioxide.Pg.Tests;

/// <summary>The value of a parameter, for each way to send it.</summary>
/// <param name="Type">The type of PostgreSQL that it is sent as.</param>
/// <param name="Value">For ADO.NET; null is NULL.</param>
/// <param name="Native">For the driver's own interface.</param>
internal sealed record ScriptValue(string Type, object? Value, PgParameterValue Native)
{
    internal static ScriptValue Of<T>(string type, T value)
        where T : notnull => new(type, value, PgParameterValue.Of(value));

    internal static ScriptValue Null(string type) => new(type, null, PgParameterValue.Null);

    public override string ToString() => $"{Type} {(Value is null ? "NULL" : CellText.Of(Value))}";
}
