using System.Reflection;
using System.Runtime.CompilerServices;
using System.Text;

namespace Ioxide.Tests;

/// <summary>Writes the public surface of an assembly as text: one member a line, sorted, so that a change is a short difference.</summary>
internal static class PublicApiText
{
    private const BindingFlags Declared =
        BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly;

    private static readonly NullabilityInfoContext s_nullability = new();

    internal static string Of(Assembly assembly)
    {
        var text = new StringBuilder();
        foreach (Type type in assembly.GetExportedTypes().OrderBy(type => type.FullName, StringComparer.Ordinal))
        {
            text.Append(Header(type)).Append('\n');
            foreach (string member in Members(type).Order(StringComparer.Ordinal))
            {
                text.Append("    ").Append(member).Append('\n');
            }
        }

        return text.ToString();
    }

    private static string Header(Type type)
    {
        if (type.IsEnum)
        {
            return $"enum {Name(type)} : {Name(Enum.GetUnderlyingType(type))}";
        }

        string kind = type.IsInterface ? "interface" : type.IsValueType ? "struct"
            : typeof(Delegate).IsAssignableFrom(type) ? "delegate" : "class";
        string modifier = type is { IsAbstract: true, IsSealed: true } ? "static "
            : type is { IsAbstract: true, IsInterface: false } ? "abstract "
            : type is { IsSealed: true, IsValueType: false } ? "sealed " : "";
        IEnumerable<Type> inherited = type.BaseType is { } parent && parent != typeof(object) && parent != typeof(ValueType)
            ? [parent]
            : [];
        string[] bases = [.. inherited.Concat(type.GetInterfaces().Where(made => made.IsPublic || made.IsNestedPublic))
            .Select(Name).Order(StringComparer.Ordinal)];
        return $"{modifier}{kind} {Name(type)}{(bases.Length == 0 ? "" : " : " + string.Join(", ", bases))}{Attributes(type)}";
    }

    private static IEnumerable<string> Members(Type type)
    {
        if (type.IsEnum)
        {
            return Enum.GetNames(type).Select(name => $"{name} = {Convert.ToInt64(Enum.Parse(type, name), null)}");
        }

        return type.GetConstructors(Declared).Where(IsVisible).Select(made => $"new({Parameters(made)})")
            .Concat(type.GetMethods(Declared).Where(method => IsVisible(method) && !IsAccessor(method)).Select(Method))
            .Concat(type.GetProperties(Declared).Where(IsVisible).Select(Property))
            .Concat(type.GetEvents(Declared).Where(raised => IsVisible(raised.AddMethod!))
                .Select(raised => $"event {Name(raised.EventHandlerType!)} {raised.Name}"))
            .Concat(type.GetFields(Declared).Where(field => field.IsPublic || field.IsFamily || field.IsFamilyOrAssembly).Select(Field));
    }

    private static bool IsVisible(MethodBase method)
        => (method.IsPublic || method.IsFamily || method.IsFamilyOrAssembly) && !method.Name.Contains('<', StringComparison.Ordinal);

    private static bool IsVisible(PropertyInfo property) => property.GetAccessors(nonPublic: true).Any(IsVisible);

    private static bool IsAccessor(MethodInfo method) => method.IsSpecialName && !method.Name.StartsWith("op_", StringComparison.Ordinal);

    private static string Method(MethodInfo method)
    {
        string generic = method.IsGenericMethodDefinition
            ? $"<{string.Join(", ", method.GetGenericArguments().Select(Generic))}>"
            : "";
        string returned = TypeText(method.ReturnType, s_nullability.Create(method.ReturnParameter));
        return $"{Modifiers(method)}{returned} {method.Name}{generic}({Parameters(method)}){Attributes(method)}";
    }

    private static string Generic(Type argument)
    {
        string[] constraints = [.. argument.GetGenericParameterConstraints().Select(Name)];
        bool isClass = argument.GenericParameterAttributes.HasFlag(GenericParameterAttributes.ReferenceTypeConstraint);
        return argument.Name + (isClass ? " : class" : "") + (constraints.Length == 0 ? "" : " : " + string.Join(", ", constraints));
    }

    private static string Property(PropertyInfo property)
    {
        MethodInfo accessor = property.GetAccessors(nonPublic: true).First(IsVisible);
        string required = property.IsDefined(typeof(RequiredMemberAttribute)) ? "required " : "";
        string get = property.GetMethod is { } getter && IsVisible(getter) ? " get;" : "";
        string set = property.SetMethod is { } setter && IsVisible(setter) ? IsInitOnly(setter) ? " init;" : " set;" : "";
        string type = TypeText(property.PropertyType, s_nullability.Create(property));
        return $"{Modifiers(accessor)}{required}{type} {property.Name} {{{get}{set} }}{Attributes(property)}";
    }

    private static bool IsInitOnly(MethodInfo setter) => setter.ReturnParameter.GetRequiredCustomModifiers().Contains(typeof(IsExternalInit));

    private static string Field(FieldInfo field)
        => field.IsLiteral
            ? $"const {Name(field.FieldType)} {field.Name} = {Value(field.GetRawConstantValue())}"
            : $"{(field.IsStatic ? "static " : "")}{(field.IsInitOnly ? "readonly " : "")}{Name(field.FieldType)} {field.Name}";

    private static string Modifiers(MethodBase method)
    {
        string access = method.IsPublic ? "" : "protected ";
        return access + (method.IsStatic ? "static "
            : method.DeclaringType!.IsInterface ? ""
            : method.IsAbstract ? "abstract "
            : !method.IsVirtual || method.IsFinal ? ""
            : method is MethodInfo { } info && info.GetBaseDefinition() != info ? "override " : "virtual ");
    }

    private static string Parameters(MethodBase method)
        => string.Join(", ", method.GetParameters().Select(parameter =>
        {
            string direction = parameter.IsOut ? "out " : parameter.IsIn ? "in " : parameter.ParameterType.IsByRef ? "ref " : "";
            string otherwise = parameter.HasDefaultValue ? $" = {Value(parameter.DefaultValue)}" : "";
            return $"{direction}{TypeText(parameter.ParameterType, s_nullability.Create(parameter))} {parameter.Name}{otherwise}";
        }));

    private static string Value(object? value) => value switch
    {
        null => "default",
        string text => $"\"{text}\"",
        bool isTrue => isTrue ? "true" : "false",
        _ => Convert.ToString(value, null)!,
    };

    private static string Attributes(MemberInfo member)
        => member.GetCustomAttribute<System.Diagnostics.CodeAnalysis.ExperimentalAttribute>() is { } preview
            ? $" [Experimental({preview.DiagnosticId})]"
            : member.GetCustomAttribute<ObsoleteAttribute>() is not null && !member.Name.StartsWith('.') ? " [Obsolete]" : "";

    private static string TypeText(Type type, NullabilityInfo nullability)
    {
        bool isNullable = !type.IsValueType && nullability.ReadState == NullabilityState.Nullable;
        if (type.IsGenericType && Nullable.GetUnderlyingType(type) is null && !type.IsByRef)
        {
            Type[] arguments = type.GetGenericArguments();
            IEnumerable<string> texts = arguments.Select((argument, index) => index < nullability.GenericTypeArguments.Length
                ? TypeText(argument, nullability.GenericTypeArguments[index])
                : Name(argument));
            return $"{PlainName(type)}<{string.Join(", ", texts)}>{(isNullable ? "?" : "")}";
        }

        return Name(type) + (isNullable ? "?" : "");
    }

    private static string Name(Type type)
    {
        if (type.IsByRef)
        {
            return Name(type.GetElementType()!);
        }

        if (type.IsArray)
        {
            return Name(type.GetElementType()!) + "[]";
        }

        if (Nullable.GetUnderlyingType(type) is { } underlying)
        {
            return Name(underlying) + "?";
        }

        return type.IsGenericType
            ? $"{PlainName(type)}<{string.Join(", ", type.GetGenericArguments().Select(Name))}>"
            : PlainName(type);
    }

    private static string PlainName(Type type)
    {
        if (type.IsGenericParameter)
        {
            return type.Name;
        }

        string? keyword = Type.GetTypeCode(type) switch
        {
            _ when type.IsEnum => null,
            TypeCode.Boolean => "bool",
            TypeCode.Byte => "byte",
            TypeCode.Int32 => "int",
            TypeCode.Int64 => "long",
            TypeCode.UInt32 => "uint",
            TypeCode.UInt64 => "ulong",
            TypeCode.Double => "double",
            TypeCode.String => "string",
            _ => type == typeof(void) ? "void" : type == typeof(object) ? "object" : null,
        };
        string name = type.IsNested ? $"{PlainName(type.DeclaringType!)}.{type.Name}" : type.Name;
        int tickIndex = name.IndexOf('`', StringComparison.Ordinal);
        return keyword ?? (tickIndex < 0 ? name : name[..tickIndex]);
    }
}
