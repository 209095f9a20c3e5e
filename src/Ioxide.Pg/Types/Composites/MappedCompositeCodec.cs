using System.Diagnostics.CodeAnalysis;
using System.Reflection;
using Ioxide.Pg.Data;

namespace Ioxide.Pg;

/// <summary>A composite whose fields are the parameters of a constructor, in order, each with a property of the same name.</summary>
internal sealed class MappedCompositeCodec<[DynamicallyAccessedMembers(Members)] T> : PgCompositeCodec<T>
{
    internal const DynamicallyAccessedMemberTypes Members = DynamicallyAccessedMemberTypes.PublicConstructors | DynamicallyAccessedMemberTypes.PublicProperties;

    private readonly ConstructorInvoker _make;
    private readonly Type[] _types;
    private readonly bool[] _takeNull;
    private readonly PropertyInfo[] _properties;
    private ObjectCodec[]? _codecs;

    internal MappedCompositeCodec()
    {
        ConstructorInfo constructor = typeof(T).GetConstructors().MaxBy(static candidate => candidate.GetParameters().Length)
            ?? throw new ArgumentException($"{typeof(T).Name} has no public constructor. Give it one with a parameter for each field of the composite.");
        ParameterInfo[] parameters = constructor.GetParameters();
        PropertyInfo[] properties = typeof(T).GetProperties();
        _make = ConstructorInvoker.Create(constructor);
        _types = [.. parameters.Select(static parameter => Nullable.GetUnderlyingType(parameter.ParameterType) ?? parameter.ParameterType)];
        _takeNull = [.. parameters.Select(static parameter => !parameter.ParameterType.IsValueType || Nullable.GetUnderlyingType(parameter.ParameterType) is not null)];
        _properties = [.. parameters.Select(parameter => Array.Find(
            properties, property => property.Name.Equals(parameter.Name, StringComparison.OrdinalIgnoreCase) && property.CanRead)
            ?? throw new ArgumentException($"{typeof(T).Name} has no property for the parameter '{parameter.Name}' of its constructor."))];
        if (_types.Length == 0)
        {
            throw new ArgumentException($"{typeof(T).Name} has no constructor with a parameter for each field of the composite.");
        }
    }

    // Looked up on first use, because the type of a field may be mapped later.
    private ObjectCodec[] Codecs => _codecs ??= [.. _types.Select(static type => ValueCodecs.Find(type) ?? throw new PgTypeException(
        $"A field of {typeof(T).Name} is of type {TypeErrors.NameOf(type)}, which has no codec. Map it too."))];

    protected override void Write(T value, ref PgCompositeWriter writer)
    {
        ObjectCodec[] codecs = Codecs;
        for (int i = 0; i < codecs.Length; i++)
        {
            writer.Write(codecs[i], _properties[i].GetValue(value));
        }
    }

    protected override T Read(ref PgCompositeReader reader)
    {
        ObjectCodec[] codecs = Codecs;
        object?[] values = new object?[codecs.Length];
        for (int i = 0; i < values.Length; i++)
        {
            values[i] = reader.Read(codecs[i]);
            if (values[i] is null && !_takeNull[i])
            {
                throw new PgTypeException($"The field '{_properties[i].Name}' of {typeof(T).Name} is NULL. Make its type nullable.");
            }
        }

        return (T)_make.Invoke(values.AsSpan());
    }
}
