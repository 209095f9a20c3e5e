using System.Collections.Immutable;
using System.Reflection.Emit;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;

namespace Ioxide.Tests;

/// <summary>Types and methods of an assembly that a declaration or a piece of code names.</summary>
internal sealed class TokenReferences(MetadataReader metadata)
{
    private static readonly Dictionary<int, OpCode> s_codes = typeof(OpCodes).GetFields()
        .Select(field => field.GetValue(null)).OfType<OpCode>().ToDictionary(code => (ushort)code.Value | (code.Size == 2 ? 0x10000 : 0));

    internal HashSet<TypeDefinitionHandle> Types { get; } = [];

    internal HashSet<MethodDefinitionHandle> Methods { get; } = [];

    internal void AddType(TypeDefinition type)
    {
        Add(type.BaseType);
        foreach (InterfaceImplementationHandle handle in type.GetInterfaceImplementations())
        {
            Add(metadata.GetInterfaceImplementation(handle).Interface);
        }

        Add(type.GetGenericParameters());
        Add(type.GetCustomAttributes());
    }

    internal void AddField(FieldDefinition field)
    {
        _ = field.DecodeSignature(new Names(this), null);
        Add(field.GetCustomAttributes());
    }

    internal void AddMethod(MethodDefinition method, BlobReader code)
    {
        _ = method.DecodeSignature(new Names(this), null);
        Add(method.GetGenericParameters());
        Add(method.GetCustomAttributes());
        while (code.RemainingBytes > 0)
        {
            int first = code.ReadByte();
            OpCode operation = s_codes[first == 0xFE ? 0x1FE00 | code.ReadByte() : first];
            switch (operation.OperandType)
            {
                case OperandType.InlineField or OperandType.InlineMethod or OperandType.InlineTok or OperandType.InlineType:
                    Add(MetadataTokens.EntityHandle(code.ReadInt32()));
                    break;
                case OperandType.InlineSwitch:
                    int cases = code.ReadInt32();
                    code.Offset += cases * sizeof(int);
                    break;
                default:
                    code.Offset += SizeOf(operation.OperandType);
                    break;
            }
        }
    }

    private static int SizeOf(OperandType operand) => operand switch
    {
        OperandType.InlineNone => 0,
        OperandType.ShortInlineBrTarget or OperandType.ShortInlineI or OperandType.ShortInlineVar => 1,
        OperandType.InlineVar => 2,
        OperandType.InlineI8 or OperandType.InlineR => 8,
        _ => 4,
    };

    private void Add(GenericParameterHandleCollection parameters)
    {
        foreach (GenericParameterHandle parameter in parameters)
        {
            foreach (GenericParameterConstraintHandle constraint in metadata.GetGenericParameter(parameter).GetConstraints())
            {
                Add(metadata.GetGenericParameterConstraint(constraint).Type);
            }
        }
    }

    private void Add(CustomAttributeHandleCollection attributes)
    {
        foreach (CustomAttributeHandle attribute in attributes)
        {
            Add(metadata.GetCustomAttribute(attribute).Constructor);
        }
    }

    private void Add(EntityHandle handle)
    {
        if (handle.IsNil)
        {
            return;
        }

        switch (handle.Kind)
        {
            case HandleKind.TypeDefinition:
                Types.Add((TypeDefinitionHandle)handle);
                break;
            case HandleKind.TypeSpecification:
                _ = metadata.GetTypeSpecification((TypeSpecificationHandle)handle).DecodeSignature(new Names(this), null);
                break;
            case HandleKind.FieldDefinition:
                Types.Add(metadata.GetFieldDefinition((FieldDefinitionHandle)handle).GetDeclaringType());
                break;
            case HandleKind.MethodDefinition:
                Methods.Add((MethodDefinitionHandle)handle);
                break;
            case HandleKind.MethodSpecification:
                MethodSpecification specification = metadata.GetMethodSpecification((MethodSpecificationHandle)handle);
                _ = specification.DecodeSignature(new Names(this), null);
                Add(specification.Method);
                break;
            case HandleKind.MemberReference:
                Add(metadata.GetMemberReference((MemberReferenceHandle)handle).Parent);
                break;
            default:
                break; // Of another assembly.
        }
    }

    private sealed class Names(TokenReferences references) : ISignatureTypeProvider<int, object?>
    {
        public int GetTypeFromDefinition(MetadataReader reader, TypeDefinitionHandle handle, byte rawTypeKind)
        {
            references.Types.Add(handle);
            return 0;
        }

        public int GetTypeFromSpecification(MetadataReader reader, object? genericContext, TypeSpecificationHandle handle, byte rawTypeKind)
            => reader.GetTypeSpecification(handle).DecodeSignature(this, genericContext);

        public int GetArrayType(int elementType, ArrayShape shape) => 0;

        public int GetByReferenceType(int elementType) => 0;

        public int GetFunctionPointerType(MethodSignature<int> signature) => 0;

        public int GetGenericInstantiation(int genericType, ImmutableArray<int> typeArguments) => 0;

        public int GetGenericMethodParameter(object? genericContext, int index) => 0;

        public int GetGenericTypeParameter(object? genericContext, int index) => 0;

        public int GetModifiedType(int modifier, int unmodifiedType, bool isRequired) => 0;

        public int GetPinnedType(int elementType) => 0;

        public int GetPointerType(int elementType) => 0;

        public int GetPrimitiveType(PrimitiveTypeCode typeCode) => 0;

        public int GetSZArrayType(int elementType) => 0;

        public int GetTypeFromReference(MetadataReader reader, TypeReferenceHandle handle, byte rawTypeKind) => 0;
    }
}
