using System.Collections.Concurrent;

namespace Ioxide.Pg.Data;

/// <summary>A codec for values that are passed as <see cref="object"/>, as in ADO.NET.</summary>
internal abstract class ObjectCodec
{
    internal abstract Type Type { get; }

    internal abstract PgFormat Format { get; }

    internal abstract uint TypeIdOf(object value);

    internal abstract int Measure(object value);

    internal abstract void Write(object value, Span<byte> destination);

    internal abstract object Read(PgField field);

    /// <summary>Writes the value as text, in the form of a composite's field.</summary>
    internal abstract void WriteText(object value, ref Utf8Sink destination);

    /// <summary>The length of that text.</summary>
    internal abstract int MeasureText(object value);

    /// <summary>Copies that text to as many bytes as it has.</summary>
    internal abstract void CopyText(object value, Span<byte> destination);
}

/// <inheritdoc/>
internal sealed class ObjectCodec<T>(PgCodec<T> codec, uint typeId = 0) : ObjectCodec
{
    internal override Type Type => typeof(T);

    internal override PgFormat Format => codec.ParameterFormat;

    internal override uint TypeIdOf(object value) => typeId != 0 ? typeId : codec.TypeIdOf((T)value);

    internal override int Measure(object value) => codec.Measure((T)value);

    internal override void Write(object value, Span<byte> destination) => codec.Write((T)value, destination);

    internal override object Read(PgField field) => codec.Read(field)!; // Never called for NULL.

    internal override void WriteText(object value, ref Utf8Sink destination) => codec.WriteText((T)value, ref destination);

    internal override int MeasureText(object value) => codec.MeasureText((T)value);

    internal override void CopyText(object value, Span<byte> destination) => codec.CopyText((T)value, destination);
}

/// <summary>The members of every <see cref="PgCodec{T}"/> that do not depend on its type.</summary>
internal interface IHasObjectCodec
{
    /// <summary>The codec for values that are passed as <see cref="object"/>.</summary>
    /// <param name="typeId">The type that each declares; 0 leaves it to the codec.</param>
    ObjectCodec ForObjects(uint typeId);
}

/// <summary>Finds the codec of a value by its type: one of <see cref="BuiltInTypes"/>, or a registered one.</summary>
internal static class ObjectCodecRegistry
{
    private static readonly ConcurrentDictionary<Type, ObjectCodec> s_byType = new();

    internal static ObjectCodec Text { get; } = new ObjectCodec<string>(CodecFor<string>.Instance, PgTypeId.Text);

    /// <summary>The codec of a type, or null.</summary>
    internal static ObjectCodec? Find(Type type) => s_byType.TryGetValue(type, out ObjectCodec? codec) ? codec : Add(type);

    /// <summary>A codec that an application registers applies to the facade too.</summary>
    internal static void Register<T>(PgCodec<T> codec) => s_byType[typeof(T)] = new ObjectCodec<T>(codec);

    private static ObjectCodec? Add(Type type)
    {
        // An array of characters is one text. As oid or xid8 a number could turn negative in a cast, or have no cast: see ParameterConversion.
        if (type == typeof(char[]) || type == typeof(uint) || type == typeof(ulong))
        {
            return null;
        }

        if (BuiltInTypes.Find(type, out BuiltInType? item) is not { } codec)
        {
            // An object of a derived class is one of its base: IPAddress.Loopback is of a class of its own.
            Type? parent = type.IsValueType ? null : type.BaseType;
            while (parent is not null && parent != typeof(object) && parent != typeof(Array))
            {
                if (Find(parent) is { } inherited)
                {
                    return s_byType.GetOrAdd(type, inherited);
                }

                parent = parent.BaseType;
            }

            return null;
        }

        uint typeId = type == typeof(ReadOnlyMemory<byte>) ? PgTypeId.Bytea
            : item is not { IsText: true } ? 0
            : type == item.Type ? PgTypeId.Text : PgTypeId.TextArray;
        return s_byType.GetOrAdd(type, codec.ForObjects(typeId));
    }
}

/// <summary>Sends what another codec sends, as text.</summary>
internal sealed class TextFormCodec(ObjectCodec codec) : ObjectCodec
{
    internal override Type Type => codec.Type;

    internal override PgFormat Format => PgFormat.Text;

    internal override uint TypeIdOf(object value) => 0;

    internal override int Measure(object value) => codec.MeasureText(value);

    internal override void Write(object value, Span<byte> destination) => codec.CopyText(value, destination);

    internal override object Read(PgField field) => codec.Read(field);

    internal override void WriteText(object value, ref Utf8Sink destination) => codec.WriteText(value, ref destination);

    internal override int MeasureText(object value) => codec.MeasureText(value);

    internal override void CopyText(object value, Span<byte> destination) => codec.CopyText(value, destination);
}
