using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Ioxide.Pg;

/// <summary>Shapes of a fixed count of numbers: <c>point</c>, <c>line</c>, <c>lseg</c>, <c>box</c>, <c>circle</c>.</summary>
/// <typeparam name="T">A struct of doubles only, in the order of both the wire form and the text.</typeparam>
internal sealed class ShapeCodec<T>(uint typeId) : FixedCodec<T>(typeId, Unsafe.SizeOf<T>())
    where T : unmanaged
{
    public override void Write(T value, Span<byte> destination)
    {
        foreach (double number in NumbersOf(ref value))
        {
            BinaryPrimitives.WriteDoubleBigEndian(destination, number);
            destination = destination[sizeof(double)..];
        }
    }

    protected override T ReadBinary(ReadOnlySpan<byte> bytes, uint typeId)
    {
        CheckLength(bytes, LengthBytes, typeId);
        T value = default;
        foreach (ref double number in NumbersOf(ref value))
        {
            number = BinaryPrimitives.ReadDoubleBigEndian(bytes);
            bytes = bytes[sizeof(double)..];
        }

        return value;
    }

    protected override bool TryReadText(ReadOnlySpan<byte> text, uint typeId, out T value)
    {
        value = default;
        Span<double> numbers = NumbersOf(ref value);
        return GeometryText.TryParse(text, numbers, out int count) && count == numbers.Length;
    }

    private static Span<double> NumbersOf(ref T value) => MemoryMarshal.Cast<T, double>(new Span<T>(ref value));
}
