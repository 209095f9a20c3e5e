namespace Ioxide.Pg;

/// <summary>Represents the codec that an application registers for a type, before and after the registration.</summary>
internal sealed class RegisteredCodec<T> : PgCodec<T>
{
    internal static readonly RegisteredCodec<T> Instance = new();
    private static volatile PgCodec<T>? s_current;

    internal static PgCodec<T>? Current { get => s_current; set => s_current = value; }

    public override uint TypeId => Required.TypeId;

    public override PgFormat ParameterFormat => Required.ParameterFormat;

    public override bool IsTypeFixed => Required.IsTypeFixed;

    private static PgCodec<T> Required => s_current ?? throw TypeErrors.NoCodec<T>();

    public override uint TypeIdOf(T value) => Required.TypeIdOf(value);

    public override bool IsNull(T value) => Required.IsNull(value);

    public override int Measure(T value) => Required.Measure(value);

    public override void Write(T value, Span<byte> destination) => Required.Write(value, destination);

    public override T Read(PgField field) => Required.Read(field);
}
