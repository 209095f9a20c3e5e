namespace Ioxide.Pg.Data;

/// <summary>Arrays of texts, also as arrays of characters: each text as one array, or the first character of each.</summary>
internal sealed class TextArrayColumnReader() : ColumnReader(typeof(Array))
{
    private readonly ArrayColumnReader<string> _texts = new();

    internal override bool IsOfDatabase => true;

    internal override object Read(PgField field) => _texts.Read(field);

    internal override object? ReadAs(Type asked, PgField field)
        => asked == typeof(char[][]) ? Array.ConvertAll(Texts(field), static text => text?.ToCharArray())
            : asked == typeof(List<char[]>) ? Texts(field).Select(static text => text?.ToCharArray()).ToList()
            : asked == typeof(char[]) && field.TypeId != PgTypeId.JsonPathArray ? Array.ConvertAll(Texts(field), FirstOf)
            : null;

    private static string?[] Texts(PgField field) => PgCodecs<string?[]>.Instance.Read(field);

    private static char FirstOf(string? text)
        => text is [var first, ..] ? first
            : throw new PgTypeException("An element of the array is NULL or an empty text, which has no character. Read it as string[].");
}
