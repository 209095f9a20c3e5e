using System.Buffers.Binary;

namespace Ioxide.Pg;

/// <summary>Shapes of a fixed count of numbers: <c>point</c>, <c>line</c>, <c>lseg</c>, <c>box</c>, <c>circle</c>.</summary>
internal sealed class ShapeCodec<T>(uint typeId) : FixedCodec<T>(typeId, T.NumberCount * sizeof(double))
    where T : struct, IPgShape<T>
{
    private const int MaxNumbers = 4;

    public override void Write(T value, Span<byte> destination)
    {
        Span<double> numbers = stackalloc double[MaxNumbers];
        value.CopyTo(numbers);
        for (int index = 0; index < T.NumberCount; index++)
        {
            BinaryPrimitives.WriteDoubleBigEndian(destination[(index * sizeof(double))..], numbers[index]);
        }
    }

    protected override T ReadBinary(ReadOnlySpan<byte> bytes, uint typeId)
    {
        CheckLength(bytes, LengthBytes, typeId);
        Span<double> numbers = stackalloc double[MaxNumbers];
        for (int index = 0; index < T.NumberCount; index++)
        {
            numbers[index] = BinaryPrimitives.ReadDoubleBigEndian(bytes[(index * sizeof(double))..]);
        }

        return T.Read(numbers);
    }

    protected override bool TryReadText(ReadOnlySpan<byte> text, uint typeId, out T value)
    {
        Span<double> numbers = stackalloc double[MaxNumbers];
        bool isShape = GeometryText.TryParse(text, numbers, out int count) && count == T.NumberCount;
        value = isShape ? T.Read(numbers) : default;
        return isShape;
    }
}
