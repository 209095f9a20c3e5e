namespace Ioxide.Pg.Data;

/// <summary>A value of the row as a stream or text reader, which ends with the row.</summary>
/// <param name="Ordinal">Its column.</param>
/// <param name="Value">The stream, a <see cref="LentText"/> or a <see cref="PgDbNestedDataReader"/>, which the next one replaces.</param>
internal sealed record LentValue(int Ordinal, IDisposable Value)
{
    /// <summary>Whether its user has not disposed it.</summary>
    internal bool IsOpen => Value is Stream { CanRead: true } or LentText { IsOpen: true };
}

/// <summary>A reader that says whether it was disposed.</summary>
internal sealed class LentText(string text) : StringReader(text)
{
    internal bool IsOpen { get; private set; } = true;

    protected override void Dispose(bool disposing)
    {
        IsOpen = false;
        base.Dispose(disposing);
    }
}
