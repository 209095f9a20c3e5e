using System.Text;

namespace Ioxide.Pg;

/// <summary>
/// Text. A parameter is sent as text with no type, so the server infers it as for a quoted literal. Every type can be read: a type
/// other than text is read as PostgreSQL prints it.
/// </summary>
internal sealed class StringCodec : PgCodec<string>
{
    internal static readonly StringCodec Instance = new();

    public override uint TypeId => 0;

    public override PgFormat ParameterFormat => PgFormat.Text;

    public override int Measure(string value) => WireText.Encoding.GetByteCount(value);

    public override void Write(string value, Span<byte> destination) => WireText.Encoding.GetBytes(value, destination);

    public override string Read(PgField field)
    {
        if (field.IsNull)
        {
            return null!; // NULL is null; a caller that handles it requests string?.
        }

        if (field.Format == PgFormat.Text || PgTypeTable.KindOf(field.TypeId) is PgTypeKind.Text or PgTypeKind.Json)
        {
            return Encoding.UTF8.GetString(field.Bytes);
        }

        var sink = new Utf8Sink(stackalloc byte[256]);
        try
        {
            FieldText.Write(field, ref sink);
            return Encoding.UTF8.GetString(sink.Written);
        }
        finally
        {
            sink.Dispose();
        }
    }
}
