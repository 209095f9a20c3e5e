using System.Globalization;

namespace Ioxide.Pg;

/// <summary><c>vector</c> as text: <c>[1,2.5]</c>.</summary>
internal sealed class PgVectorCodec() : ValueCodec<PgVector>(0)
{
    internal static readonly PgVectorCodec Instance = new();

    private const int ScratchBytes = 512;

    public override PgFormat ParameterFormat => PgFormat.Text;

    public override int Measure(PgVector value)
    {
        var sink = new Utf8Sink(stackalloc byte[ScratchBytes]);
        Print(value, ref sink);
        int length = sink.Written.Length;
        sink.Dispose();
        return length;
    }

    public override void Write(PgVector value, Span<byte> destination)
    {
        var sink = new Utf8Sink(stackalloc byte[ScratchBytes]);
        Print(value, ref sink);
        sink.Written.CopyTo(destination);
        sink.Dispose();
    }

    /// <summary>Reads numbers in brackets.</summary>
    internal static bool TryParse(ReadOnlySpan<byte> text, out float[] values)
    {
        values = [];
        if (text is not [(byte)'[', .. var inner, (byte)']'])
        {
            return false;
        }

        values = inner.IsEmpty ? [] : new float[inner.Count((byte)',') + 1];
        for (int index = 0; index < values.Length; index++)
        {
            int comma = inner.IndexOf((byte)',');
            ReadOnlySpan<byte> number = comma < 0 ? inner : inner[..comma];
            inner = comma < 0 ? [] : inner[(comma + 1)..];
            if (!float.TryParse(number, NumberStyles.Float, CultureInfo.InvariantCulture, out values[index]))
            {
                return false;
            }
        }

        return true;
    }

    protected override bool Reads(uint typeId) => false;

    protected override PgVector ReadBinary(ReadOnlySpan<byte> bytes, uint typeId) => default;

    protected override bool TryReadText(ReadOnlySpan<byte> text, uint typeId, out PgVector value)
    {
        bool isVector = TryParse(text, out float[] values);
        value = new PgVector(values);
        return isVector;
    }

    private static void Print(PgVector value, ref Utf8Sink sink)
    {
        sink.Write('[');
        ReadOnlySpan<float> values = value.Values.Span;
        for (int index = 0; index < values.Length; index++)
        {
            sink.Write(index == 0 ? [] : ","u8);
            FloatText.Write(values[index], ref sink);
        }

        sink.Write(']');
    }
}
