namespace Ioxide.Pg.Data;

/// <summary>Arrays of texts, also as arrays of characters: each text as one array, or the first character of each.</summary>
/// <param name="label">The codec of labels, whose type the database defines; null for texts.</param>
internal sealed class TextArrayColumnReader(PgCodec<string>? label = null) : ColumnReader(typeof(Array))
{
    private readonly PgCodec<string[]> _vectors = label is null ? PgCodecs<string[]>.Instance : new VectorArrayCodec<string>(label);
    private readonly ArrayColumnReader<string> _texts = label is null
        ? new ArrayColumnReader<string>()
        : new ArrayColumnReader<string>(new VectorArrayCodec<string>(label), new MatrixArrayCodec<string>(label));

    internal override bool IsOfDatabase => true;

    internal override object Read(PgField field) => _texts.Read(field);

    internal override object? ReadAs(Type asked, PgField field)
        => asked == typeof(char[][]) ? Array.ConvertAll(_vectors.Read(field), static text => text?.ToCharArray())
            : asked == typeof(List<char[]>) ? _vectors.Read(field).Select(static text => text?.ToCharArray()).ToList()
            : asked == typeof(char[]) && field.TypeId != PgTypeId.JsonPathArray ? Array.ConvertAll(_vectors.Read(field), FirstOf)
            : label is not null ? _texts.ReadAs(asked, field)
            : null;

    private static char FirstOf(string? text)
        => text is [var first, ..] ? first
            : throw new PgTypeException("An element of the array is NULL or an empty text, which has no character. Read it as string[].");
}
