namespace Ioxide.Pg;

/// <summary><c>float4[]</c>; a <c>vector</c> of pgvector, which arrives as text in brackets, is read too.</summary>
internal sealed class SingleArrayCodec : PgCodec<float[]>
{
    internal static readonly SingleArrayCodec Instance = new();

    private static readonly VectorArrayCodec<float> s_array = new(SingleCodec.Instance);

    public override uint TypeId => PgTypeId.Float4Array;

    public override int Measure(float[] value) => s_array.Measure(value);

    public override void Write(float[] value, Span<byte> destination) => s_array.Write(value, destination);

    public override float[] Read(PgField field)
        => field.Format == PgFormat.Text && !field.IsNull && !PgTypeTable.Knows(field.TypeId)
            && PgVectorCodec.TryParse(field.Bytes, out float[] values)
            ? values
            : s_array.Read(field);
}
