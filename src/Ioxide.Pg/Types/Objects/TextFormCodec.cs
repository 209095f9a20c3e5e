namespace Ioxide.Pg.Data;

/// <summary>Sends what another codec sends, as text.</summary>
internal sealed class TextFormCodec(ObjectCodec codec) : ObjectCodec
{
    private const int ScratchBytes = 256;

    internal override Type Type => codec.Type;

    internal override PgFormat Format => PgFormat.Text;

    internal override uint TypeIdOf(object value) => 0;

    internal override int Measure(object value)
    {
        var sink = new Utf8Sink(stackalloc byte[ScratchBytes]);
        codec.WriteText(value, ref sink);
        int length = sink.Written.Length;
        sink.Dispose();
        return length;
    }

    internal override void Write(object value, Span<byte> destination)
    {
        var sink = new Utf8Sink(stackalloc byte[ScratchBytes]);
        codec.WriteText(value, ref sink);
        sink.Written.CopyTo(destination);
        sink.Dispose();
    }

    internal override object Read(PgField field) => codec.Read(field);

    internal override void WriteText(object value, ref Utf8Sink destination) => codec.WriteText(value, ref destination);
}
