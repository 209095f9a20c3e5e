using System.Text;

namespace Ioxide.Http2.Tests;

/// <summary>Keeps what a decoder gives.</summary>
internal sealed class FieldList : IHpackFields
{
    internal List<Field> Fields { get; } = [];

    public void OnField(HpackField field) => Fields.Add(new Field(Text(field.Name), Text(field.Value)));

    public void OnLiteral(HpackField? tableName, ReadOnlySpan<byte> name, ReadOnlySpan<byte> value, bool isNeverIndexed)
    {
        Assert.True(tableName is null || name.SequenceEqual(tableName.Name));
        Fields.Add(new Field(Text(name), Text(value), isNeverIndexed));
    }

    /// <summary>Decodes a block that must be right.</summary>
    internal static List<Field> Decode(HpackDecoder decoder, byte[] block)
    {
        FieldList list = new();
        Assert.Equal(HpackError.None, decoder.Decode(block, list));
        return list.Fields;
    }

    private static string Text(ReadOnlySpan<byte> bytes) => Encoding.Latin1.GetString(bytes);
}
