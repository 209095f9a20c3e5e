namespace Ioxide.Pg;

/// <summary>One value with the codec of its type.</summary>
public abstract class PgParameterValue
{
    private protected PgParameterValue()
    {
    }

    /// <summary>NULL of a type that the server infers.</summary>
    public static PgParameterValue Null { get; } = new PgNullValue();

    internal abstract uint TypeId { get; }

    internal abstract PgFormat Format { get; }

    /// <summary>Makes a parameter of a value.</summary>
    public static PgParameterValue Of<T>(T value) => new PgParameterValue<T>(value);

    internal abstract int MeasureWithLength();

    internal abstract void Write(ref WireWriter writer);

    private sealed class PgNullValue : PgParameterValue
    {
        internal override uint TypeId => 0;

        internal override PgFormat Format => PgFormat.Text;

        internal override int MeasureWithLength() => sizeof(int);

        internal override void Write(ref WireWriter writer) => writer.WriteInt32(-1);
    }
}
