namespace Ioxide.Pg;

/// <summary>A value that may be NULL.</summary>
internal sealed class NullableCodec<T>(PgCodec<T> inner) : PgCodec<T?>
    where T : struct
{
    public override uint TypeId => inner.TypeId;

    public override PgFormat ParameterFormat => inner.ParameterFormat;

    public override bool IsTypeFixed => inner.IsTypeFixed;

    internal override uint TypeIdOfNull => inner.TypeIdOfNull;

    public override uint TypeIdOf(T? value) => value.HasValue ? inner.TypeIdOf(value.GetValueOrDefault()) : inner.TypeIdOfNull;

    public override bool IsNull(T? value) => !value.HasValue;

    public override int Measure(T? value) => inner.Measure(value.GetValueOrDefault());

    public override void Write(T? value, Span<byte> destination) => inner.Write(value.GetValueOrDefault(), destination);

    public override T? Read(PgField field) => field.IsNull ? null : inner.Read(field);
}
